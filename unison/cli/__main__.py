"""``python -m unison.cli``: the command line without an installed script."""

from unison.cli import main

if __name__ == "__main__":
    main()
