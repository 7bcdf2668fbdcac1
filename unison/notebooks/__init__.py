"""Notebooks: reading their declarations, running them strictly, and rendering what they made.

A notebook of the series is ``notebooks/NN_name.ipynb``, without outputs, with kernel ``python3``. It has

- metadata ``"unison": {"products": [stems], "minutes": {"smoke": m, "full": m}}`` (see `series`);
- one cell tagged ``parameters``, its first code cell, with commented literals (see `parameters`)::

      profile = "smoke"  # "smoke" or "full"
      corpus = ""  # name or file of one corpus; empty: the six synthetic ones
      out_dir = ""  # folder of the products; empty: build/smoke/figures

- products saved by that folder, each shown by being the last expression of its cell::

      from unison.report import Column, Products, direct_labels, figure_style
      from unison.report import new_figure, policy_line, rounded

      products = Products(out_dir)
      data = rounded(experiment(...))
      with figure_style():
          figure, axes = new_figure(columns=1)
          axes.plot(data["load"], data["hit_rate"], **policy_line("spear+tide"))
          direct_labels(axes)
      products.figure(figure, "fig05_hit_rate", data, caption="...", alt="...")

      products.table(frame, "tab02_main", columns=[Column("hit_rate", "Hit rate", unit="%", decimals=1)])

- widgets as the last expression of a cell of their own: they are left out of what is rendered.

Text that a cell prints, and Markdown it shows (`unison.report.show_table`), go into the rendered Markdown;
stderr does not. A picture that is no saved figure, a memory address or a path of the machine is an error.
`sources.check_sources` lists the rules that a source breaks. Formulae in Markdown cells stay TeX on the page,
which loads nothing from the network.
"""
