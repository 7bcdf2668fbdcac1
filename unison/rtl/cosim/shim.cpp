// A C interface to the Verilated IP: drives the APB port as software would.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>

#include "Vunison.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

// Byte addresses, given by the build from the register map.
constexpr uint32_t kStatus = UNISON_STATUS;
constexpr uint32_t kEvArg = UNISON_EV_ARG;
constexpr uint32_t kEvData = UNISON_EV_DATA;
constexpr uint32_t kEvDataHi = UNISON_EV_DATA_HI;
constexpr uint32_t kEvPush = UNISON_EV_PUSH;
constexpr uint32_t kRspInfo = UNISON_RSP_INFO;
constexpr uint32_t kRspData = UNISON_RSP_DATA;
constexpr uint32_t kRspPop = UNISON_RSP_POP;
constexpr uint32_t kPerfBusy = UNISON_PERF_BUSY_CYCLES;

constexpr uint32_t kBusy = 1u << UNISON_BUSY_BIT;
constexpr uint32_t kEvFull = 1u << UNISON_EV_FULL_BIT;
constexpr uint32_t kRspFull = 1u << UNISON_RSP_FULL_BIT;
constexpr uint32_t kRspEmpty = 1u << UNISON_RSP_EMPTY_BIT;
constexpr uint32_t kKindMask = 7;
constexpr uint32_t kDone = UNISON_DONE;
constexpr uint32_t kIdMask = 0xFFFF;

constexpr int64_t kHung = -1;
constexpr int64_t kNoRoom = -2;
constexpr int64_t kBusError = -3;

enum Op : uint8_t { kRead, kWrite, kReset, kIdle, kSettle, kPin };

class Bench {
 public:
  explicit Bench(int seed) : context_(new VerilatedContext) {
    // Whatever has no reset starts from arbitrary bits.
    context_->randReset(2);
    context_->randSeed(seed);
    top_.reset(new Vunison(context_.get(), "top"));
    top_->clk_i = 0;
    top_->rst_ni = 1;
    top_->psel_i = 0;
    top_->penable_i = 0;
    top_->pwrite_i = 0;
    top_->paddr_i = 0;
    top_->pwdata_i = 0;
    top_->eval();
  }

  ~Bench() {
    close_trace();
    top_->final();
  }

  void open_trace(const char* path) {
#if VM_TRACE
    context_->traceEverOn(true);
    trace_.reset(new VerilatedVcdC);
    top_->trace(trace_.get(), 99);
    trace_->open(path);
#else
    (void)path;
#endif
  }

  void close_trace() {
#if VM_TRACE
    if (trace_) {
      trace_->close();
      trace_.reset();
    }
#endif
  }

  void tick() {
    low();
    high();
  }

  void reset() {
    top_->rst_ni = 0;
    top_->psel_i = 0;
    top_->penable_i = 0;
    tick();
    tick();
    top_->rst_ni = 1;
    tick();
  }

  // One transfer; true if the IP answered PSLVERR.
  bool transfer(uint32_t address, bool is_write, uint32_t* data) {
    top_->psel_i = 1;
    top_->penable_i = 0;
    top_->pwrite_i = is_write;
    top_->paddr_i = address;
    top_->pwdata_i = is_write ? *data : 0;
    tick();
    top_->penable_i = 1;
    bool is_error = false;
    for (int waits = 0; waits < kLongestWait; ++waits) {
      low();
      const bool is_ready = top_->pready_o;
      if (is_ready) {
        is_error = top_->pslverr_o;
        if (!is_write) *data = top_->prdata_o;
      }
      high();
      if (is_ready) break;
      if (waits + 1 == kLongestWait) is_hung_ = true;
    }
    top_->psel_i = 0;
    top_->penable_i = 0;
    return is_error;
  }

  uint32_t read(uint32_t address) {
    uint32_t data = 0;
    has_bus_error_ |= transfer(address, false, &data);
    return data;
  }

  void write(uint32_t address, uint32_t data) { has_bus_error_ |= transfer(address, true, &data); }

  // Waits until the IP rests or its engine waits for room; false if neither happens.
  bool settle(uint32_t patience, uint64_t limit) {
    const uint64_t start = cycles_;
    uint64_t full_since = cycles_;
    while (cycles_ - start < limit) {
      const uint32_t status = read(kStatus);
      if (!(status & kBusy)) return true;
      if (!(status & kRspFull)) full_since = cycles_;
      if (cycles_ - full_since > patience) return true;
    }
    return false;
  }

  bool is_hung() const { return is_hung_; }
  bool take_bus_error() {
    const bool found = has_bus_error_;
    has_bus_error_ = false;
    return found;
  }
  bool pin() const { return top_->irq_o; }
  uint64_t cycles() const { return cycles_; }

 private:
  static constexpr int kLongestWait = 64;

  void low() {
    top_->clk_i = 0;
    eval();
  }
  void high() {
    top_->clk_i = 1;
    eval();
    ++cycles_;
  }
  void eval() {
    top_->eval();
#if VM_TRACE
    if (trace_) trace_->dump(time_);
    ++time_;
#endif
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vunison> top_;
#if VM_TRACE
  std::unique_ptr<VerilatedVcdC> trace_;
  uint64_t time_ = 0;
#endif
  uint64_t cycles_ = 0;
  bool is_hung_ = false;
  bool has_bus_error_ = false;
};

}  // namespace

extern "C" {

void* unison_new(int seed) { return new Bench(seed); }

void unison_delete(void* handle) { delete static_cast<Bench*>(handle); }

void unison_open_trace(void* handle, const char* path) { static_cast<Bench*>(handle)->open_trace(path); }

void unison_close_trace(void* handle) { static_cast<Bench*>(handle)->close_trace(); }

uint64_t unison_cycles(void* handle) { return static_cast<Bench*>(handle)->cycles(); }

// Carries out operations; answers and errors go to out_data and out_error. Returns the number carried out, or
// a negative code if the IP stopped answering.
int64_t unison_operate(void* handle, int64_t n, const uint8_t* op, const uint32_t* address, const uint32_t* data,
                       uint32_t patience, uint64_t limit, uint32_t* out_data, uint8_t* out_error) {
  Bench& bench = *static_cast<Bench*>(handle);
  for (int64_t i = 0; i < n; ++i) {
    uint32_t value = data[i];
    bool is_error = false;
    switch (op[i]) {
      case kRead:
        value = 0;
        is_error = bench.transfer(address[i], false, &value);
        break;
      case kWrite:
        is_error = bench.transfer(address[i], true, &value);
        value = 0;
        break;
      case kReset:
        bench.reset();
        value = 0;
        break;
      case kIdle:
        for (uint32_t k = 0; k < data[i]; ++k) bench.tick();
        value = 0;
        break;
      case kSettle:
        if (!bench.settle(patience, limit)) return kHung;
        value = 0;
        break;
      case kPin:
        value = bench.pin();
        break;
    }
    if (bench.is_hung()) return kHung;
    out_data[i] = value;
    out_error[i] = is_error;
  }
  bench.take_bus_error();
  return n;
}

// Pushes events while the FIFO has room and pops the responses. With is_serial an event is pushed after the
// one before has ended, and out_cycles gets the busy cycles of each. Returns the number of responses, or a
// negative code; out_pushed gets the number of events pushed.
int64_t unison_stream(void* handle, int64_t n, const uint32_t* argument, const uint64_t* data, int has_high,
                      int is_serial, uint64_t limit, int64_t room, uint32_t* out_info, uint32_t* out_data,
                      uint32_t* out_cycles, int64_t* out_pushed) {
  Bench& bench = *static_cast<Bench*>(handle);
  int64_t pushed = 0, done = 0, responses = 0;
  uint64_t last = bench.cycles();
  uint32_t busy = is_serial ? bench.read(kPerfBusy) : 0;
  bench.take_bus_error();
  while (done < n) {
    const uint32_t status = bench.read(kStatus);
    *out_pushed = pushed;
    if (!(status & kRspEmpty)) {
      if (responses == room) return kNoRoom;
      const uint32_t info = bench.read(kRspInfo);
      out_info[responses] = info;
      out_data[responses] = bench.read(kRspData);
      ++responses;
      bench.write(kRspPop, 0);
      last = bench.cycles();
      if ((info & kKindMask) == kDone) {
        if (is_serial) {
          while ((bench.read(kStatus) & kBusy) && bench.cycles() - last < limit) {
          }
          const uint32_t now = bench.read(kPerfBusy);
          out_cycles[done] = now - busy;
          busy = now;
        }
        ++done;
      }
    } else if (pushed < n && !(status & kEvFull) && (!is_serial || pushed == done)) {
      bench.write(kEvArg, argument[pushed]);
      bench.write(kEvData, static_cast<uint32_t>(data[pushed]));
      if (has_high) bench.write(kEvDataHi, static_cast<uint32_t>(data[pushed] >> 32));
      bench.write(kEvPush, static_cast<uint32_t>(pushed) & kIdMask);
      ++pushed;
      last = bench.cycles();
    }
    *out_pushed = pushed;
    if (bench.is_hung() || bench.cycles() - last > limit) return kHung;
    if (bench.take_bus_error()) return kBusError;
  }
  return responses;
}

}  // extern "C"
