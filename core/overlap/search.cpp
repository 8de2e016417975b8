#include "overlap/search.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "util/once.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

/// How many bytes two strings share, of `most`.
std::uint64_t shared(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t from, std::uint64_t most) {
    std::uint64_t k = from;
    for (; k + 8 <= most; k += 8) {
        std::uint64_t x, y;
        std::memcpy(&x, a + k, 8);
        std::memcpy(&y, b + k, 8);
        if (x != y) {
            const auto zeros = std::endian::native == std::endian::little ? std::countr_zero(x ^ y) : std::countl_zero(x ^ y);
            return k + static_cast<std::uint64_t>(zeros) / 8;
        }
    }
    while (k < most && a[k] == b[k]) ++k;
    return k;
}

/// A suffix as the file has it; one that no sound file has becomes the first.
std::uint64_t suffix_at(const OverlapPart& part, std::uint64_t rank) {
    const std::uint64_t found = once(part.suffixes[rank]);
    return part.begin + (found < part.size() ? found : 0);
}

/// Long matches that the search for the byte before has seen: each goes on one byte later, and need not be compared again.
class Recent {
public:
    static constexpr std::uint64_t deep = 64;
    void clear() { many_ = 0; }
    /// On to the next byte.
    void advance() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < many_; ++i)
            if (sizes_[i] > deep + 1) {
                places_[kept] = places_[i] + 1;
                sizes_[kept++] = sizes_[i] - 1;
            }
        many_ = kept;
        next_ = many_ % most;
    }
    std::uint64_t known(std::uint64_t place) const {
        for (std::size_t i = 0; i < many_; ++i)
            if (places_[i] == place) return sizes_[i];
        return 0;
    }
    void add(std::uint64_t place, std::uint64_t size) {
        for (std::size_t i = 0; i < many_; ++i)
            if (places_[i] == place) {
                sizes_[i] = size;
                return;
            }
        places_[next_] = place;
        sizes_[next_] = size;
        next_ = (next_ + 1) % most;
        many_ = std::min(many_ + 1, most);
    }

private:
    static constexpr std::size_t most = 16;
    std::uint64_t places_[most], sizes_[most];
    std::size_t many_ = 0, next_ = 0;
};

/// One search after the other, for consecutive bytes of a text, in one part. It goes in steps, each of which ends where
/// memory was asked for, so that several searches take turns.
class Lane {
public:
    Lane(const OverlapIndex& index, const OverlapPart& part, const OverlapText& text, std::uint32_t* out, std::size_t first)
        : corpus_(index.text().data), longest_(index.shape().longest), part_(&part), text_(text), out_(out), first_(first) {}

    void begin(std::size_t from, std::size_t to) {
        at_ = from;
        to_ = to;
        barrier_ = from;
        seek();
    }
    bool done() const { return at_ >= to_; }

    void step() {
        if (stage_ == 0) {
            middle_ = low_ + (high_ - low_) / 2;
            __builtin_prefetch(part_->suffixes + middle_);
            stage_ = 1;
        } else if (stage_ == 1) {
            place_ = suffix_at(*part_, middle_);
            __builtin_prefetch(corpus_ + place_ + std::min(std::min(left_, right_), part_->stop - place_));
            stage_ = 2;
        } else {
            compare();
        }
    }

private:
    /// On to the next byte whose match must be searched for.
    void seek() {
        for (; at_ < to_; advance(best_)) {
            if (text_.bytes.data[at_] == overlap_separator) {
                best_ = 0;
                recent_.clear();
                continue;
            }
            if (barrier_ <= at_) {
                const void* found = std::memchr(text_.bytes.data + at_, overlap_separator, text_.bytes.size - at_);
                barrier_ = found ? static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - text_.bytes.data)
                                 : text_.bytes.size;
            }
            most_ = std::min<std::uint64_t>(barrier_ - at_, longest_);
            // The match of the byte before goes on; where it is as long as one can be, there is nothing to search for.
            if (best_ > Recent::deep) {
                best_ = match(best_place_ + 1, best_ - 1);
                ++best_place_;
                if (best_ == most_) continue;
            }
            low_ = left_ = right_ = best_ = 0;
            high_ = part_->size();
            stage_ = 0;
            return;
        }
    }
    void advance(std::uint64_t length) {
        std::uint32_t& out = out_[at_ - first_];
        out = std::max(out, static_cast<std::uint32_t>(length));
        recent_.advance();
        ++at_;
    }
    void take(std::uint64_t place, std::uint64_t length) {
        if (length <= best_) return;
        best_ = length;
        best_place_ = place;
    }

    bool is_own(std::uint64_t place) const { return text_.own != overlap_foreign && place == text_.own + at_; }

    std::uint64_t match(std::uint64_t place, std::uint64_t from) {
        const std::uint8_t* const a = text_.bytes.data + at_;
        const std::uint8_t* const b = corpus_ + place;
        const std::uint64_t most = std::min(most_, part_->stop - place);
        from = std::min(from, most);
        const std::uint64_t shallow = std::min(most, std::max(from, Recent::deep));
        std::uint64_t k = shared(a, b, from, shallow);
        if (k == shallow && k < most) k = shared(a, b, std::min(most, std::max(k, recent_.known(place))), most);
        if (k > Recent::deep) recent_.add(place, k);
        return k;
    }

    void compare() {
        const bool own = is_own(place_);
        const std::uint64_t k = own ? std::min(most_, part_->stop - place_) : match(place_, std::min(left_, right_));
        if (!own) take(place_, k);
        const std::uint64_t after = place_ + k;
        // A text that has ended comes before all that goes on; a suffix that has ended before the text.
        const bool before = k == most_ || (after < part_->stop && text_.bytes.data[at_ + k] < corpus_[after]);
        if (before) {
            high_ = middle_;
            right_ = k;
        } else {
            low_ = middle_ + 1;
            left_ = k;
        }
        if (low_ < high_ && best_ < most_) {
            stage_ = 0;
            return;
        }
        if (text_.own != overlap_foreign && best_ < most_) beside_own();
        advance(best_);
        seek();
    }

    /// The byte itself is not a match: where it stands beside the place of the text, the suffix behind it is the neighbour.
    void beside_own() {
        const auto take_at = [&](std::uint64_t rank) { take(suffix_at(*part_, rank), match(suffix_at(*part_, rank), 0)); };
        if (high_ + 1 < part_->size() && is_own(suffix_at(*part_, high_))) take_at(high_ + 1);
        if (high_ > 1 && is_own(suffix_at(*part_, high_ - 1))) take_at(high_ - 2);
    }

    const std::uint8_t* corpus_;
    std::uint64_t longest_;
    const OverlapPart* part_;
    OverlapText text_;
    std::uint32_t* out_;
    std::size_t first_, at_ = 0, to_ = 0, barrier_ = 0;
    int stage_ = 0;
    std::uint64_t low_ = 0, high_ = 0, left_ = 0, right_ = 0, middle_ = 0, place_ = 0, best_ = 0, best_place_ = 0, most_ = 0;
    Recent recent_;
};

constexpr std::size_t lanes = 16, least_run = 256, block = std::size_t{1} << 16;

void lengths_in(const OverlapIndex& index, const OverlapPart& part, const OverlapText& text, std::size_t from, std::size_t to,
                std::uint32_t* out, std::size_t first) {
    const std::size_t run = std::max(least_run, (to - from + lanes - 1) / lanes);
    std::vector<Lane> all;
    for (std::size_t at = from; at < to; at += run) {
        all.emplace_back(index, part, text, out, first);
        all.back().begin(at, std::min(to, at + run));
    }
    for (std::size_t left = all.size(); left > 0;) {
        for (std::size_t i = 0; i < left;) {
            if (all[i].done())
                std::swap(all[i], all[--left]);
            else
                all[i++].step();
        }
    }
}

/// The first rank whose suffix is not before the string (or, if `beyond`, before and not beginning with it).
std::uint64_t bound(const OverlapIndex& index, const OverlapPart& part, const std::uint8_t* string, std::uint64_t size, bool beyond) {
    std::uint64_t low = 0, high = part.size(), left = 0, right = 0;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2, place = suffix_at(part, middle);
        const std::uint64_t most = std::min(size, part.stop - place);
        const std::uint64_t k = shared(string, index.text().data + place, std::min(std::min(left, right), most), most);
        const bool before = k == size ? !beyond : place + k < part.stop && string[k] < index.text().data[place + k];
        if (before) {
            high = middle;
            right = k;
        } else {
            low = middle + 1;
            left = k;
        }
    }
    return low;
}

}  // namespace

void overlap_lengths(const OverlapIndex& index, const OverlapText& text, std::size_t from, std::size_t to, unsigned threads,
                     std::uint32_t* out) {
    std::fill(out, out + (to - from), 0u);
    if (from >= to) return;
    parallel_blocks(to - from, block, threads, [&](std::size_t first, std::size_t last) {
        for (const OverlapPart& part : index.parts()) lengths_in(index, part, text, from + first, from + last, out, from);
    });
}

std::uint64_t overlap_first(const OverlapIndex& index, const OverlapText& text, std::size_t at, std::size_t size) {
    const std::uint8_t* const string = text.bytes.data + at;
    const std::uint64_t own = text.own == overlap_foreign ? overlap_foreign : text.own + at;
    for (const OverlapPart& part : index.parts()) {
        const std::uint64_t first = bound(index, part, string, size, false), last = bound(index, part, string, size, true);
        std::uint64_t least = overlap_foreign;
        const auto take = [&](std::uint64_t rank) {
            const std::uint64_t place = suffix_at(part, rank);
            if (place != own) least = std::min(least, place);
        };
        for (std::uint64_t rank = first; rank < last;) {
            const std::uint64_t row = rank / overlap_row, next = (row + 1) * overlap_row;
            if (rank % overlap_row == 0 && next <= last) {
                const std::uint64_t found = part.begin + std::min<std::uint64_t>(once(part.least[row]), part.size() - 1);
                if (found < least && found != own) least = found;
                if (found == own)
                    for (std::uint64_t i = rank; i < next; ++i) take(i);
                rank = next;
            } else {
                take(rank++);
            }
        }
        if (least == overlap_foreign) continue;
        // What the file says is not believed: the bytes themselves decide.
        if (index.text().size - least >= size && std::memcmp(index.text().data + least, string, size) == 0) return least;
        throw OverlapFormatError("its suffixes are not sorted; build it again");
    }
    return overlap_foreign;
}

}  // namespace bitmeter
