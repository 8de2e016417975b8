#include "measure/blocks.hpp"

#include <cmath>
#include <vector>

#include "tests/check.hpp"

using namespace bitmeter;

int main() {
    const std::vector<std::int64_t> ids{5, -1, -2, 7, 1}, cuts{0, 3, 9, 10, 21, 21};
    const std::vector<std::uint8_t> blank{0, 0, 1, 0, 0};
    std::vector<double> logs{-1.0, -2.5, -0.25, -4.0, -8.0};
    {   // A unit belongs to the block in which it begins; what begins behind the last byte, to the last block.
        const TextSums found = sum_text({ids.data(), cuts.data(), blank.data(), logs.data(), 5}, 8, 1);
        CHECK((found.nats == Reals{3.5, 4.25, 8.0}));
        CHECK((found.bytes == std::vector<std::int64_t>{9, 12, 0}));
        CHECK((found.units == std::vector<std::int64_t>{2, 1, 1}));
        CHECK(found.tokens == 4 && found.unknown == 2 && found.most == -0.25);
        CHECK(pairwise_sum(found.parts) == -15.75 && pairwise_sum(found.unknown_parts) == -10.5);
    }
    {   // Nothing, and what is no number.
        CHECK(sum_text({ids.data(), cuts.data(), blank.data(), logs.data(), 0}, 8, 1).nats.empty());
        logs[1] = std::nan("");
        CHECK(std::isnan(sum_text({ids.data(), cuts.data(), blank.data(), logs.data(), 5}, 64, 1).most));
    }
    return check::report();
}
