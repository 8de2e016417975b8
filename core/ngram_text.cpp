#include "ngram_text.hpp"

#include <algorithm>

namespace bitmeter {
namespace {

Bytes literal(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::size_t piece = 1 << 14;  // so that the list of edges stays in the cache

}  // namespace

NgramText::NgramText(std::string_view separators, bool unk_word) : separators_(separators) {
    table_.add(literal(unk_word ? "\n0" : "<unk>"));  // no word has a newline in it
    table_.add(literal("<s>"));
    table_.add(literal("</s>"));
}

void NgramText::add(Bytes word) {
    const auto number = static_cast<std::uint64_t>(table_.add(word));
    if (number < first_word)
        throw ReservedWord(std::string(reinterpret_cast<const char*>(word.data), word.size), sentences_ + 1);
    if (number >= std::uint64_t{1} << 31) throw std::length_error("more than 2^31 different words");
    ids_.push_back(static_cast<std::uint32_t>(number));
}

void NgramText::close() {
    if (!begun_.empty()) {
        add({begun_.data(), begun_.size()});
        begun_.clear();
    }
    ids_.push_back(word_end);
    ++sentences_;
    open_ = false;
}

void NgramText::stretch(Bytes text, bool closed) {
    const std::uint8_t *p = text.data, *const end = text.data + text.size;
    open_ = open_ || text.size > 0;
    if (!begun_.empty()) {  // the rest of the word that was cut
        const std::uint8_t* stop = p;
        while (stop < end && !separators_[*stop]) ++stop;
        begun_.insert(begun_.end(), p, stop);
        if (stop == end) return;
        add({begun_.data(), begun_.size()});
        begun_.clear();
        p = stop;
    }
    while (p < end) {
        const std::uint8_t* stop = p + std::min<std::size_t>(piece, static_cast<std::size_t>(end - p));
        while (stop < end && !separators_[*stop]) ++stop;
        edges_.clear();
        word_edges({p, static_cast<std::size_t>(stop - p)}, 0, separators_, edges_);
        for (std::size_t i = 0; i < edges_.size(); i += 2) {
            const Bytes word{p + edges_[i], static_cast<std::size_t>(edges_[i + 1] - edges_[i])};
            if (!closed && word.data + word.size == end)
                begun_.assign(word.data, end);
            else
                add(word);
        }
        p = stop;
    }
}

void NgramText::feed(Bytes block, Ends ends) {
    std::size_t begin = 0;
    for (std::size_t d = 0; d < ends.size; ++d) {
        const auto stop = static_cast<std::size_t>(ends.data[d]);
        stretch({block.data + begin, stop - begin}, true);
        close();
        begin = stop;
    }
    stretch({block.data + begin, block.size - begin}, false);
}

void NgramText::finish() {
    if (open_) close();
}

}  // namespace bitmeter
