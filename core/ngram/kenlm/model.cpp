#include "ngram/kenlm/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "util/once.hpp"

namespace bitmeter {
namespace {

[[noreturn]] void damaged(const std::string& what) { throw NgramFormatError(what); }

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

constexpr std::string_view unknown_name{"<unk>", 6};  // with the NUL behind it

}  // namespace

KenlmModel::KenlmModel(PageBlock block) : block_(std::move(block)) {
    const Bytes file{block_.data(), block_.size()};
    layout_ = KenlmLayout::of(file);
    const std::uint8_t* head = file.data + layout_.vocabulary_head;
    if (is_probing(layout_.kind)) {
        if (kenlm::load<std::uint32_t>(head) != 0) damaged("its vocabulary is of another version of KenLM");
        bound_ = once(kenlm::load<std::uint32_t>(head + 4));
        vocabulary_ = {file.data + layout_.vocabulary, layout_.vocabulary_buckets, 12};
        probing_ = KenlmProbing(file.data, layout_);
    } else {
        sorted_words_ = once(kenlm::load<std::uint64_t>(head));
        if (sorted_words_ > layout_.counts[0]) damaged("its vocabulary has more words than there are single words");
        bound_ = static_cast<std::uint32_t>(sorted_words_ + 1);
        trie_ = KenlmTrie(file.data, layout_);
    }
    // A file whose ARPA had no <unk> has one word more than it counts.
    if (bound_ == 0 || bound_ > layout_.counts[0] + 1) damaged("its vocabulary has more words than there are single words");
    if (layout_.has_words) {
        const std::size_t size = file.size - layout_.end;
        if (size < unknown_name.size() || std::memcmp(file.data + layout_.end, unknown_name.data(), unknown_name.size()) != 0)
            damaged("its words are not where they should be: it is cut short, or of an old compiler; build it again");
    }
    find_specials();
    shape_.order = layout_.order;
    std::copy_n(layout_.counts, layout_.order, shape_.counts);
    shape_.counts[0] = shape_.words;
}

std::unique_ptr<KenlmModel> KenlmModel::open(const std::string& path, bool in_memory) {
    PageBlock file = PageBlock::file(path);
    if (!in_memory || file.size() == 0) return std::make_unique<KenlmModel>(std::move(file));
    PageBlock copy = PageBlock::zeros(file.size());
    std::memcpy(copy.data(), file.data(), file.size());
    if (file.input() && file.input()->changed()) throw NgramChanged("the file was cut or changed while it was read");
    return std::make_unique<KenlmModel>(std::move(copy));
}

void KenlmModel::find_specials() {
    std::uint32_t virtual_code = bound_;
    const auto special = [&](const char* name) {
        const std::uint32_t found = code(kenlm_hash(bytes_of(name)));
        return found ? found : virtual_code++;
    };
    begin_ = special("<s>");
    end_ = special("</s>");
    if (begin_ == end_) damaged("the beginning and the end of a sentence are one word in it");
    shape_.words = virtual_code;
    plain_ = begin_ == word_begin && end_ == word_end && virtual_code == bound_;
    // The two codes that 1 and 2 would have go to the ids which the beginning and the end leave.
    std::uint32_t free_codes[2] = {}, many = 0;
    for (std::uint32_t value : {word_begin, word_end})
        if (value != begin_ && value != end_) free_codes[many++] = value;
    std::uint32_t used = 0;
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t value = i == 0 ? begin_ : end_;
        displaced_[i] = value > word_end ? free_codes[used++] : ~std::uint32_t{0};
    }
}

void KenlmModel::confirm(bool rarely) const {
    if (block_.input() && block_.input()->changed(rarely))
        throw NgramChanged("the file was cut or changed while it was in use");
}

void KenlmModel::attach(const std::vector<std::uint8_t>&) const {
    throw NgramUnable("a binary of KenLM cannot hold how words are spelled; convert it first: bitmeter convert MODEL new.bmn --spelling TEXT");
}

// ---- words

std::uint32_t KenlmModel::sorted_code(std::uint64_t hash) const {
    const std::uint8_t* const hashes = block_.data() + layout_.vocabulary;
    std::uint64_t begin = 0, end = sorted_words_;
    std::uint64_t low = 0, high = ~std::uint64_t{0};
    for (int step = 0; begin < end && hash >= low && hash <= high; ++step) {
        std::uint64_t place = begin + (end - begin) / 2;
        if (step < 6 && high > low)
            place = begin + static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash - low) * (end - begin - 1) / (high - low));
        const std::uint64_t found = kenlm::load<std::uint64_t>(hashes + 8 * place);
        if (found == hash) return static_cast<std::uint32_t>(place + 1);
        if (found < hash) {
            begin = place + 1;
            low = found;
        } else {
            end = place;
            high = found;
        }
    }
    return 0;
}

void KenlmModel::list_words() const {
    if (listed_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(guard_);
    if (listed_.load(std::memory_order_relaxed)) return;
    if (!layout_.has_words)
        throw NgramUnable("it does not list its words (build_binary -v), only their hashes, so no word of it can be named");
    std::vector<std::uint64_t> places{layout_.end};
    const std::uint8_t* const data = block_.data();
    std::uint64_t at = layout_.end;
    while (places.size() <= bound_) {
        const void* found = at < block_.size() ? std::memchr(data + at, 0, block_.size() - at) : nullptr;
        if (!found) damaged("it lists fewer words than it has; it is cut short: fetch it again");
        at = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(found) - data) + 1;
        places.push_back(at);
    }
    word_places_ = std::move(places);
    listed_.store(true, std::memory_order_release);
}

Bytes KenlmModel::word(std::uint32_t id) const {
    if (id >= words()) damaged("it names a word that it does not have");
    static constexpr std::string_view names[first_word] = {"<unk>", "<s>", "</s>"};
    if (id < first_word) return bytes_of(names[id]);
    list_words();
    const std::uint32_t code = code_of(id);
    return {block_.data() + word_places_[code], static_cast<std::size_t>(word_places_[code + 1] - word_places_[code] - 1)};
}

// ---- all of it

std::uint64_t KenlmModel::content_checksum() const {
    if (summed_.load(std::memory_order_acquire)) return checksum_;
    const std::lock_guard lock(guard_);
    if (!summed_.load(std::memory_order_relaxed)) {
        checksum_ = block_checksum(block_.data(), block_.size());
        if (checksum_ == 0) checksum_ = 1;  // 0 stands for "none"
        summed_.store(true, std::memory_order_release);
    }
    return checksum_;
}

namespace {

void check_figures(const KenlmEntry& entry) {
    if (std::isnan(entry.logprob)) damaged("a probability is not a number");
    if (std::isnan(entry.backoff) || entry.backoff == HUGE_VALF) damaged("a back-off is not a number");
}

}  // namespace

void KenlmModel::verify() const {
    if (layout_.has_words) {
        list_words();
        for (std::uint32_t c = 1; c < bound_; ++c) {
            const Bytes own{block_.data() + word_places_[c], static_cast<std::size_t>(word_places_[c + 1] - word_places_[c] - 1)};
            if (code(kenlm_hash(own)) != c) damaged("it has the same word twice, or cannot find one of its own");
        }
    }
    with([&](const auto& search) {
        for (std::uint32_t c = 0; c < bound_; ++c) {
            typename std::decay_t<decltype(search)>::Node node;
            check_figures(search.unigram(c, node));
        }
    });
    for (unsigned o = 2; o <= layout_.order; ++o) {
        if (is_probing(layout_.kind)) {
            const kenlm::HashTable& table = probing_.table(o);
            std::uint64_t taken = 0;
            for (std::uint64_t i = 0; i < table.buckets(); ++i) {
                const std::uint8_t* at = table.base() + i * table.width();
                const auto key = kenlm::load<std::uint64_t>(at);
                if (key == 0) continue;
                ++taken;
                if (table.find(key) == nullptr) damaged("an n-gram cannot be found by its key");
                check_figures(o < layout_.order ? KenlmProbing::value(at + 8)
                                                : KenlmEntry{kenlm::negative(kenlm::load<std::uint32_t>(at + 8)), 0.0f, true, false});
            }
            if (taken >= table.buckets()) damaged("a hash table has no empty place");
        } else {
            for (std::uint64_t place = 0; place < layout_.parts[o - 1].entries; ++place) {
                KenlmTrie::Node node;
                check_figures(trie_.at(o, place, node));
                if (trie_.word(o, place) >= bound_) damaged("an n-gram has a word that the model does not have");
            }
        }
    }
}

}  // namespace bitmeter
