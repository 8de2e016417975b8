#include "util/packed.hpp"

#include <algorithm>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;

namespace {

std::uint64_t state = 88172645463325252ULL;
std::uint64_t draw() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

void test_packed() {
    for (unsigned width = 1; width <= packed_width; ++width) {
        const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
        std::vector<std::uint64_t> values(50);
        std::vector<std::uint8_t> bytes(bits_to_bytes(values.size() * width) + packed_slack);
        for (std::size_t i = 0; i < values.size(); ++i) pack_at(bytes.data(), i * width, values[i] = draw() & mask);
        bool same = true;
        for (std::size_t i = 0; i < values.size(); ++i) same = same && packed_at(bytes.data(), i * width, width) == values[i];
        CHECK(same);
    }
}

/// Ascending numbers in memory of their own, so that a sanitizer sees what is read outside.
struct Held {
    AscendingShape shape;
    unsigned stride;
    std::vector<std::uint8_t> low;
    std::vector<std::uint64_t> high;
    std::vector<std::uint32_t> samples;

    Held(const std::vector<std::uint64_t>& values, std::uint64_t most, unsigned beside)
        : shape(values.size(), most), stride(shape.low_bits() + beside),
          low(bits_to_bytes(values.size() * stride) + packed_slack), high(shape.high_words()), samples(shape.samples()) {
        AscendingWriter writer(shape, low.data(), stride, beside, high.data(), samples.data());
        for (std::uint64_t value : values) writer.add(value);
    }
    Ascending view(unsigned beside) const { return {shape, low.data(), stride, beside, high.data(), samples.data()}; }
};

void test_ascending() {
    for (const std::uint64_t count : {2, 3, 31, 32, 33, 64, 1000}) {
        for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{1}, count / 2, count, count * 3, count * 1000}) {
            std::vector<std::uint64_t> values(count);
            for (auto& value : values) value = most ? draw() % (most + 1) : 0;
            if (count > 40) std::fill(values.begin(), values.begin() + 35, values[0] / 2);  // runs of the same
            std::sort(values.begin(), values.end());
            values.back() = most;
            const Held held(values, most, 3);
            CHECK(held.shape.fits());
            const Ascending view = held.view(3);
            bool same = true;
            for (std::uint64_t i = 0; i + 1 < count; ++i) {
                view.ask_sample(i);
                const Between found = view.pair(i);
                same = same && found.begin == values[i] && found.end == values[i + 1];
            }
            CHECK(same);
        }
    }
    // About two bits more than the logarithm of the mean gap.
    const AscendingShape even(1000, 8000);
    CHECK(even.low_bits() == 3 && even.high_words() * 64 <= 2100);
    CHECK(!AscendingShape(std::uint64_t{1} << 32, std::uint64_t{1} << 32).fits());
}

void test_ones() {
    bool right = true;
    for (int round = 0; round < 3000; ++round) {
        std::uint64_t bits = draw();
        for (int i = 0; i < round % 7; ++i) bits &= draw();
        if (round % 5 == 0) bits |= bits << 32 | draw();
        if (round == 0) bits = 0;
        if (round == 1) bits = ~std::uint64_t{0};
        const OnesOfBytes ones(bits);
        unsigned before = 0;
        for (unsigned at = 0; at < 64; ++at)
            if (bits >> at & 1) right = right && ones.place(before++) == at;
        right = right && ones.all() == before;
    }
    CHECK(right);
}

/// Whatever the bytes say, nothing outside is read.
void test_damage() {
    std::vector<std::uint64_t> values(200);
    for (auto& value : values) value = draw() % 900;
    std::sort(values.begin(), values.end());
    std::uint64_t read = 0;
    for (int round = 0; round < 300; ++round) {
        Held held(values, 900, 0);
        if (round % 3 == 0) held.samples[draw() % held.samples.size()] = static_cast<std::uint32_t>(draw());
        if (round % 3 == 1) held.high[draw() % held.high.size()] = draw() % 2 ? draw() : 0;
        if (round % 3 == 2) std::fill(held.high.begin() + static_cast<long>(draw() % held.high.size()), held.high.end(), 0);
        const Ascending view = held.view(0);
        for (std::uint64_t i = 0; i + 1 < values.size(); ++i) read += view.pair(i).end;
    }
    CHECK(read > 0);
}

}  // namespace

int main() {
    test_packed();
    test_ascending();
    test_ones();
    test_damage();
    return check::report();
}
