#include "universal/model.hpp"

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/check.hpp"
#include "universal/fast/parts.hpp"
#include "universal/max/parts.hpp"
#include "universal/tables.hpp"

using namespace bitmeter;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes of(const std::string& text) { return {text.begin(), text.end()}; }

/// Words drawn at random, some more often than others: enough like a text.
Bytes text(std::size_t n, unsigned seed) {
    const char* words[] = {"the", "sea", "of", "and", "harbour", "ships", "a", "wind", "in", "lantern", "was", "slowly"};
    std::mt19937 random(seed);
    std::string made;
    while (made.size() < n) {
        made += words[std::min(random() % 12, random() % 12)];
        made += random() % 11 == 0 ? ".\n" : " ";
    }
    made.resize(n);
    return of(made);
}

Bytes noise(std::size_t n) {
    std::mt19937 random(5);
    Bytes made(n);
    for (auto& byte : made) byte = static_cast<std::uint8_t>(random());
    return made;
}

std::vector<double> scored(UniversalModel model, const Bytes& data) {
    std::vector<double> out(data.size());
    model.score(data.data(), data.size(), nullptr, 0, out.data());
    return out;
}

double bits(const std::vector<double>& logs) {
    double sum = 0;
    for (double x : logs) sum -= x;
    return sum / std::log(2.0);
}

/// The codes of successive blocks.
std::vector<Bytes> encoded(const UniversalModel& model, const Bytes& data, std::size_t block) {
    UniversalCoder coder(model);
    std::vector<Bytes> out;
    for (std::size_t at = 0; at < data.size(); at += block)
        out.push_back(coder.encode(data.data() + at, std::min(block, data.size() - at)));
    return out;
}

Bytes decoded(const UniversalModel& model, const std::vector<Bytes>& coded, std::size_t n, std::size_t block) {
    UniversalCoder coder(model);
    Bytes out;
    for (const Bytes& one : coded) {
        auto part = coder.decode(one.data(), one.size(), std::min(block, n - out.size()));
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

constexpr int fast = 3, max = 4;

/// Of a text's length: `max` takes twenty times as long over it, and more under sanitizers.
std::size_t part(int size, std::size_t n) { return size == max ? n / 32 : n; }

/// Nucleotides, then numbers in records of four bytes: what `max` has contexts of its own for.
Bytes other_kinds(std::size_t n) {
    std::mt19937 random(11);
    Bytes made(n);
    for (std::size_t i = 0; i < n; ++i)
        made[i] = static_cast<std::uint8_t>(i < n / 2 ? "ACGT"[random() % 4] : i % 4 ? 0 : random() % 8);
    return made;
}

/// Machine code: calls of eight places, conditional jumps, loads from a few addresses, moves between registers.
Bytes machine_code(std::size_t n) {
    std::mt19937 random(21);
    Bytes made;
    const auto distance = [&](std::uint32_t target, int bytes) {
        const std::uint32_t value = target - static_cast<std::uint32_t>(made.size()) - static_cast<std::uint32_t>(bytes);
        for (int i = 0; i < bytes; ++i) made.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    };
    while (made.size() < n) {
        const std::uint32_t target = 0x2000 + random() % 8 * 0x123;
        switch (random() % 6) {
            case 0: made.push_back(0xE8), distance(target, 4); break;
            case 1: made.insert(made.end(), {0x0F, 0x84}), distance(target, 4); break;
            case 2: made.insert(made.end(), {0x48, 0x8B, 0x05}), distance(target + 0x10000, 4); break;
            case 3: made.push_back(0x75), distance(static_cast<std::uint32_t>(made.size()) + random() % 4 * 16, 1); break;
            case 4: made.insert(made.end(), {0xC7, 0x44, 0x24, 0x08, 1, 0, 0, 0}); break;
            default: made.insert(made.end(), {0x48, 0x89, static_cast<std::uint8_t>(0xC0 | random() % 64)});
        }
    }
    return made;
}

/// Of `max`, the long ones as one text: to make a model of 1.5 GB takes a second under sanitizers.
std::vector<Bytes> samples(int size) {
    Bytes all(256);
    for (int i = 0; i < 256; ++i) all[i] = static_cast<std::uint8_t>(i);
    const std::vector<Bytes> longer{all,  Bytes(part(size, 20000), 0), noise(part(size, 5000)), text(part(size, 20000), 1),
                                    of("\xff\xfe\x80 h\xc3\xa9 \xc3"), other_kinds(1500), machine_code(1500)};
    std::vector<Bytes> made{Bytes{}, Bytes{'x'}};
    if (size == max) made.emplace_back();
    for (const Bytes& one : longer) {
        if (size == max)
            made.back().insert(made.back().end(), one.begin(), one.end());
        else
            made.push_back(one);
    }
    return made;
}

void tables_are_the_logistic_function() {
    const auto& t = universal::tables();
    for (int i = 0; i <= 1024; ++i) {
        double p = 1.0 / (1.0 + std::exp(-(i - 512) / 32.0));
        CHECK(std::fabs(t.squash_fine[i] / 4294967296.0 - p) < 1e-9);
    }
    for (int i = 0; i < 2048; ++i)
        CHECK(std::fabs(t.squash[i] / 32768.0 - 1.0 / (1.0 + std::exp(-(i - 1023.5) / 64.0))) < 2e-5);
    for (int i = 1; i < 4096; ++i) CHECK(std::fabs(t.input[i] / 512.0 - std::log(i / (4096.0 - i))) < 0.002);
    for (int i = 0; i < 2048; ++i)  // rounded down to a step of 1/256, of p in steps of 1/32768
        CHECK(std::fabs(t.cost[i] / 256.0 + std::log2((std::min<int>(t.squash[i], 32767) + 0.5) / 32768.0)) < 0.005);
    CHECK(t.histories.size <= 256);
    for (int i = 0; i < 256; ++i)
        CHECK(t.histories.next[0][i] < t.histories.size && t.histories.next[1][i] < t.histories.size);
}

void every_kernel_gives_the_same(int size) {
    for (const Bytes& data : samples(size)) {
        const UniversalModel baseline(size, "baseline");
        const auto expected = scored(baseline, data);
        for (const auto& kernel : UniversalModel::kernels())
            CHECK(scored(UniversalModel(size, kernel), data) == expected);
        for (std::size_t block : {77, 1000}) {
            const auto coded = encoded(baseline, data, block);
            for (const auto& kernel : UniversalModel::kernels())
                CHECK(encoded(UniversalModel(size, kernel), data, block) == coded);
        }
    }
}

/// Symbols at random, eight times over: small tables have many of their contexts in one place.
Bytes repeated(unsigned seed) {
    std::mt19937 random(seed);
    Bytes once(1500), made;
    for (auto& byte : once) byte = static_cast<std::uint8_t>(random() % 64 + 32);
    for (int i = 0; i < 8; ++i) made.insert(made.end(), once.begin(), once.end());
    return made;
}

void every_kernel_learns_the_same(int size) {
    // In the two that are repeated, found by trying seeds, two contexts of one byte come to share their histories:
    // what the first learns, the second must see.
    // The text of `max` is as long as its tables need to grow twice.
    const std::vector<Bytes> texts = size == max ? std::vector<Bytes>{text(8300, 9), noise(2500)}
                                                 : std::vector<Bytes>{repeated(122), repeated(349), text(60000, 9), noise(20000)};
    for (const Bytes& data : texts) {
        UniversalModel expected(size, "baseline");
        expected.learn(data.data(), data.size());
        const auto coded = encoded(UniversalModel(size, "baseline"), data, 4096);
        for (const auto& kernel : UniversalModel::kernels()) {
            UniversalModel model(size, kernel);
            CHECK(decoded(model, coded, data.size(), 4096) == data);
            model.learn(data.data(), data.size());
            CHECK(model.checksum() == expected.checksum());
        }
    }
}

void predictions_sum_to_one_and_are_what_bytes_cost(int size) {
    UniversalModel model(size);
    Bytes data = text(size == max ? 2100 : 3000, 2), strange = noise(300);  // `max` grows after 2048 bytes
    data.insert(data.end(), strange.begin(), strange.end());
    auto costs = scored(model, data);
    for (std::size_t i = 0; i < data.size(); ++i) {
        double p[256], sum = 0;
        model.predict(p);
        for (double x : p) sum += std::exp(x);
        CHECK(std::fabs(sum - 1.0) < 1e-12);
        CHECK(p[data[i]] == costs[i]);
        model.learn(&data[i], 1);
    }
}

void codes_are_as_long_as_they_cost(int size) {
    for (const Bytes& data : samples(size)) {
        UniversalModel model(size);
        UniversalCoder whole(model);
        const double cost = bits(scored(model, data));
        const auto coded = static_cast<double>(whole.encode(data.data(), data.size()).size());
        CHECK(std::fabs(8.0 * coded - cost) <= 64 + 2e-4 * data.size());
        CHECK(check::close(whole.bits(), cost, 1e-9));
        for (std::size_t block : {1, 1000, 1 << 20})
            CHECK(decoded(model, encoded(model, data, block), data.size(), block) == data);
    }
}

void known_costs(int size) {
    UniversalModel model(size);
    const std::size_t count = size == max ? 4000 : 20000;
    CHECK(bits(scored(model, noise(count))) / double(count) < (size == max ? 8.01 : size == fast ? 8.002 : 8.1));
    CHECK(bits(scored(model, Bytes(part(size, 100000), 0))) < 400);
    // Twelve words: 3.58 bits each at most, 5 bytes; a short text has them to learn.
    CHECK(bits(scored(model, text(count, 3))) / double(count) < (size == max ? 1.3 : 1.15));
}

void garbage_is_read_to_its_end(int size) {
    for (unsigned seed = 0; seed < (size == max ? 6u : 20u); ++seed) {
        std::mt19937 random(seed);
        Bytes coded(random() % 200);
        for (auto& byte : coded) byte = static_cast<std::uint8_t>(random());
        UniversalCoder coder{UniversalModel(size)};
        bool ended = false;
        try {
            CHECK(coder.decode(coded.data(), coded.size(), 100000).size() == 100000);
        } catch (const UniversalFormatError&) {
            ended = true;
        }
        CHECK(ended || coded.size() < 200);
    }
}

void codes_of_another_length_are_refused(int size) {
    const Bytes data = text(500, 10);
    Bytes code = encoded(UniversalModel(size), data, data.size())[0];
    auto refused = [&](std::size_t count) {
        UniversalCoder coder{UniversalModel(size)};
        try {
            coder.decode(code.data(), code.size(), count);
        } catch (const UniversalFormatError&) {
            return true;
        }
        return false;
    };
    CHECK(!refused(data.size()) && refused(data.size() / 2) && refused(100000));
    code.insert(code.end(), 20, 0);
    CHECK(refused(data.size()));
}

void frozen_models_learn_nothing(int size) {
    UniversalModel model(size);
    Bytes before = text(part(size, 20000), 4), data = text(part(size, 4000), 5);
    model.learn(before.data(), before.size());
    model.freeze();
    auto sum = model.checksum();
    auto alone = scored(model, data);
    Bytes twice = data;
    twice.insert(twice.end(), data.begin(), data.end());
    std::vector<double> both(twice.size());
    std::int64_t starts[] = {0, static_cast<std::int64_t>(data.size())};
    model.score(twice.data(), twice.size(), starts, 2, both.data());
    CHECK(std::equal(alone.begin(), alone.end(), both.begin()));
    CHECK(std::equal(alone.begin(), alone.end(), both.begin() + static_cast<std::ptrdiff_t>(data.size())));
    model.begin();
    CHECK(model.checksum() == sum);
    CHECK(decoded(model, encoded(model, data, 100), data.size(), 100) == data);
}

void copies_are_equal_and_go_their_own_way(int size) {
    UniversalModel model(size);
    const Bytes before = text(part(size, 30000), 6), data = noise(part(size, 4000));
    for (const bool learned : {false, true}) {
        if (learned) model.learn(before.data(), before.size());
        UniversalModel copy(model);
        const std::uint64_t sum = model.checksum();
        CHECK(copy.checksum() == sum);
        copy.learn(data.data(), data.size());
        CHECK(model.checksum() == sum && copy.checksum() != sum);
        CHECK(scored(model, data) == scored(UniversalModel(model), data));
    }
}

void files_hold_all_that_was_learned(int size) {
    UniversalModel model(size);
    Bytes before = text(part(size, 30000), 6), data = text(part(size, 4000), 7);
    model.learn(before.data(), before.size());
    const std::string path = "universal_test.bmu";
    model.save(path);
    UniversalModel again = UniversalModel::load(path);
    CHECK(again.checksum() == model.checksum());
    CHECK(scored(again, data) == scored(model, data));
    std::remove(path.c_str());
}

void impossible_states_are_refused() {
    for (int part = 0; part < 3; ++part) {
        universal::State state(0);
        state.check();
        if (part == 0) state.parts().final_weights[0][5] = -(1 << 30);
        if (part == 1) state.parts().place->rate = 1u << 30;
        if (part == 2) state.parts().maps[256] = 12345;
        bool refused = false;
        try {
            state.check();
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}

void impossible_states_of_fast_are_refused() {
    for (int part = 0; part < 3; ++part) {
        universal::State state(3);
        state.check();
        if (part == 0) state.fast_parts().maps[256] = 12345;
        if (part == 1) state.parts().place->rate = 1u << 30;
        if (part == 2) state.parts().place->excess = -(1 << 30);
        bool refused = false;
        try {
            state.check();
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}

void impossible_states_of_max_are_refused() {
    for (int part = 0; part < 11; ++part) {
        universal::State state(max);
        state.check();
        if (part == 0) state.max_parts().maps[universal::maximal::maps_of_context] = 12345;
        if (part == 1) state.parts().place->rate = 1u << 30;
        if (part == 2) state.parts().place->excess = -(1 << 30);
        if (part == 3) state.max_parts().weights[2][0].upper[77] = -0x7001;
        if (part == 4) state.max_parts().final_weights[1][3] = 1 << 30;
        // What stands beside the count of a row, which no input reaches:
        if (part == 5) state.max_parts().weights[1][2].upper[universal::maximal::inputs - 1] = -100;
        if (part == 6) state.max_parts().weights[17][1].upper[3] = 0x7001;
        // Places in arrays:
        if (part == 7) state.max_parts().reading->instruction.base = 16;
        if (part == 8) state.max_parts().reading->instruction.field = 8;
        if (part == 9) state.max_parts().known[1].count = universal::maximal::most_targets + 1;
        if (part == 10) state.max_parts().known[0].hand = universal::maximal::most_targets;
        bool refused = false;
        try {
            state.check();
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}

/// Lines that are divided keep every tree, in the line that its check value and the line's own number give.
void tables_grow() {
    namespace maximal = universal::maximal;
    universal::State state(max);
    const maximal::Parts& p = state.max_parts();
    std::mt19937 random(12);
    std::vector<std::uint32_t> hashes;
    std::vector<int> filled(std::size_t{1} << maximal::lines_of(0));
    for (int i = 0; i < 1000; ++i) {
        const auto hash = static_cast<std::uint32_t>(random()) | 1;
        int& k = filled[hash >> (32 - maximal::lines_of(0))];
        if (k == 3) continue;
        maximal::Line& line = p.lines[hash >> (32 - maximal::lines_of(0))];
        line.check[k] = static_cast<std::uint16_t>(hash);
        line.nodes[k][0] = line.nodes[k][14] = static_cast<std::uint8_t>(i | 1);
        line.last[k] = static_cast<std::uint8_t>(i);
        line.times[k++] = 1;
        hashes.push_back(hash);
    }
    p.matches[1][77] = 12345;
    p.direct[2][16 * 5 + 3] = 678;
    for (int level = 1; level < 3; ++level) {
        maximal::grow(p, level);
        for (const std::uint32_t hash : hashes) {
            const maximal::Line& line = p.lines[hash >> (32 - maximal::lines_of(level))];
            int found = 0;
            for (int k = 0; k < 3; ++k)
                found += line.check[k] == static_cast<std::uint16_t>(hash) && line.times[k] == 1 &&
                         line.nodes[k][0] == line.nodes[k][14] && (line.last[k] | 1) == line.nodes[k][0];
            CHECK(found == 1);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            CHECK(p.matches[1][(std::size_t{77} << 2 * level) + k] == 12345);
            CHECK(p.direct[2][16 * ((std::size_t{5} << 2 * level) + k) + 3] == 678);
        }
    }
}

void threads_do_not_meet(int size) {
    Bytes data = text(part(size, 30000), 8);
    auto expected = scored(UniversalModel(size), data);
    std::vector<std::vector<double>> found(3);
    std::vector<std::thread> threads;
    for (auto& one : found) threads.emplace_back([&] { one = scored(UniversalModel(size), data); });
    for (auto& thread : threads) thread.join();
    for (auto& one : found) CHECK(one == expected);
}

}  // namespace

int main() {
    tables_are_the_logistic_function();
    impossible_states_are_refused();
    impossible_states_of_fast_are_refused();
    impossible_states_of_max_are_refused();
    tables_grow();
    for (const int size : {0, fast, max}) {  // small, fast and max: one of each design
        every_kernel_gives_the_same(size);
        every_kernel_learns_the_same(size);
        predictions_sum_to_one_and_are_what_bytes_cost(size);
        codes_are_as_long_as_they_cost(size);
        known_costs(size);
        garbage_is_read_to_its_end(size);
        codes_of_another_length_are_refused(size);
        frozen_models_learn_nothing(size);
        copies_are_equal_and_go_their_own_way(size);
        files_hold_all_that_was_learned(size);
        threads_do_not_meet(size);
    }
    return check::report();
}
