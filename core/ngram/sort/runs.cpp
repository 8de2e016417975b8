#include "ngram/sort/runs.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>

#include "ngram/sort/packed_keys.hpp"

namespace bitmeter {
namespace {

using namespace packed;

// ---- the format ----
// A header, a table with an entry per partition, and the partitions: different keys in order, how often each came, where
// the keys of each first word begin, and these words. Each has a checksum, so that a reader of one reads no other.

constexpr char magic[8] = {'B', 'M', 'R', 'U', 'N', 'S', '\n', 1};

struct Header {
    char magic[8];
    std::uint32_t order, width;
    std::uint64_t words, partitions, checksum;  // of the table
};

struct Entry {
    std::uint64_t offset, size, firsts, checksum;
    std::uint32_t from, to;          // first words
    std::uint64_t kinds[max_order];  // of a merged partition: different n-grams of each order from 2 on
};

std::size_t even(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

[[noreturn]] void damaged(const std::string& path, const char* why) {
    throw NgramFormatError(path + ", a run of sorted n-grams, " + why + "; remove its folder, and type the same command again");
}

/// A file that is written from its beginning to its end, and then its head once more.
class RunWriter {
public:
    RunWriter(std::string path, std::size_t partitions)
        : path_(std::move(path)), file_(os::open_file(path_, "wb")), table_(partitions) {
        if (!file_) fail();
        at_ = sizeof(Header) + partitions * sizeof(Entry);
        if (std::fseek(file_, static_cast<long>(at_), SEEK_SET) != 0) fail();
    }
    RunWriter(const RunWriter&) = delete;
    RunWriter& operator=(const RunWriter&) = delete;
    ~RunWriter() {
        if (file_) std::fclose(file_);
    }

    void begin(std::size_t partition, std::uint32_t from, std::uint32_t to) {
        entry_ = &table_[partition];
        *entry_ = {};
        entry_->offset = at_;
        entry_->from = from;
        entry_->to = to;
        sum_ = BlockSum(0);
        counts_.clear();
        starts_.clear();
        firsts_.clear();
    }
    /// The keys of the next first word follow.
    void first(std::uint32_t word) {
        firsts_.push_back(word);
        starts_.push_back(entry_->size);
    }
    template <int W>
    void key(const Wide<W>& key, std::uint64_t count) {
        if (count > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("an n-gram came more than 2^32 times");
        for (const std::uint64_t part : key.part) keys_.push_back(part);
        if (keys_.size() >= flush_at) flush();
        counts_.push_back(static_cast<std::uint32_t>(count));
        ++entry_->size;
    }
    void kind(int order) { ++entry_->kinds[order - 1]; }
    void end() {
        flush();
        starts_.push_back(entry_->size);
        entry_->firsts = firsts_.size();
        if (counts_.size() % 2) counts_.push_back(0);
        if (firsts_.size() % 2) firsts_.push_back(0);
        put(counts_);
        put(starts_);
        put(firsts_);
        entry_->checksum = sum_.value();
    }
    /// Returns the bytes of the file.
    std::uint64_t close(std::uint64_t words, int order, int width) {
        Header header{};
        std::memcpy(header.magic, magic, sizeof magic);
        header.order = static_cast<std::uint32_t>(order);
        header.width = static_cast<std::uint32_t>(width);
        header.words = words;
        header.partitions = table_.size();
        header.checksum = block_checksum(reinterpret_cast<const std::uint8_t*>(table_.data()), table_.size() * sizeof(Entry));
        std::rewind(file_);
        write(reinterpret_cast<const std::uint8_t*>(&header), sizeof header);
        write(reinterpret_cast<const std::uint8_t*>(table_.data()), table_.size() * sizeof(Entry));
        if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
        return at_;
    }
    std::uint64_t size() const { return entry_->size; }

private:
    static constexpr std::size_t flush_at = 1 << 16;

    [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), path_); }
    void write(const std::uint8_t* data, std::size_t size) {
        if (size && std::fwrite(data, 1, size, file_) != size) fail();
    }
    template <class T>
    void put(const std::vector<T>& values) {
        if (values.empty()) return;
        const auto* data = reinterpret_cast<const std::uint8_t*>(values.data());
        const std::size_t size = values.size() * sizeof(T);
        write(data, size);
        sum_.add(data, size);
        at_ += size;
    }
    void flush() {
        put(keys_);
        keys_.clear();
    }

    std::string path_;
    std::FILE* file_;
    std::vector<Entry> table_;
    Entry* entry_ = nullptr;
    std::uint64_t at_ = 0;
    BlockSum sum_{0};
    std::vector<std::uint64_t> keys_, starts_;
    std::vector<std::uint32_t> counts_, firsts_;
};

/// A partition of a file, checked.
template <int W>
struct Partition {
    const Wide<W>* keys = nullptr;
    const std::uint32_t* counts = nullptr;
    const std::uint64_t* starts = nullptr;
    const std::uint32_t* firsts = nullptr;
    Entry entry{};
};

/// A file that is mapped. Whatever its bytes are, nothing outside of it is read.
class RunReader {
public:
    RunReader(std::string path, std::uint64_t words, int order, int width)
        : path_(std::move(path)) {
        try {
            block_ = PageBlock::file(path_);
        } catch (const std::system_error& error) {  // not to be taken for an error of the file that is written
            damaged(path_, ("cannot be read (" + error.code().message() + ")").c_str());
        }
        if (block_.size() < sizeof(Header)) damaged(path_, "is too short");
        Header header;
        std::memcpy(&header, block_.data(), sizeof header);
        if (std::memcmp(header.magic, magic, sizeof magic) != 0) damaged(path_, "does not begin like one");
        if (header.words != words || header.order != static_cast<std::uint32_t>(order) ||
            header.width != static_cast<std::uint32_t>(width))
            damaged(path_, "is of another vocabulary or order");
        if (header.partitions > (block_.size() - sizeof header) / sizeof(Entry)) damaged(path_, "is too short");
        table_.resize(header.partitions);
        const std::uint8_t* table = block_.data() + sizeof header;
        if (!table_.empty()) std::memcpy(table_.data(), table, table_.size() * sizeof(Entry));
        if (header.checksum != block_checksum(table, table_.size() * sizeof(Entry))) damaged(path_, "has a wrong checksum");
        words_ = words;
    }

    std::size_t partitions() const { return table_.size(); }
    template <int W>
    Partition<W> partition(std::size_t index) const {
        if (index >= table_.size()) damaged(path_, "has fewer partitions");
        const Entry& e = table_[index];
        const std::size_t whole = block_.size();
        if (e.offset % 8 || e.offset > whole || e.size > whole / sizeof(Wide<W>) || e.firsts > whole / 4 || e.from > e.to ||
            e.to > words_)
            damaged(path_, "has a partition outside of it");
        const std::size_t keys = e.size * sizeof(Wide<W>), counts = even(e.size * 4), starts = (e.firsts + 1) * 8,
                          firsts = even(e.firsts * 4);
        if (keys + counts + starts + firsts > whole - e.offset) damaged(path_, "has a partition outside of it");
        const std::uint8_t* at = block_.data() + e.offset;
        BlockSum sum(0);
        sum.add(at, keys + counts + starts + firsts);
        if (sum.value() != e.checksum) damaged(path_, "has a wrong checksum");
        Partition<W> found;
        found.entry = e;
        found.keys = reinterpret_cast<const Wide<W>*>(at);
        found.counts = reinterpret_cast<const std::uint32_t*>(at + keys);
        found.starts = reinterpret_cast<const std::uint64_t*>(at + keys + counts);
        found.firsts = reinterpret_cast<const std::uint32_t*>(at + keys + counts + starts);
        if (found.starts[0] != 0 || found.starts[e.firsts] != e.size) damaged(path_, "lacks keys");
        for (std::size_t i = 0; i < e.firsts; ++i)
            if (found.starts[i] >= found.starts[i + 1] || found.firsts[i] < e.from || found.firsts[i] >= e.to ||
                (i && found.firsts[i - 1] >= found.firsts[i]))
                damaged(path_, "has words out of order");
        return found;
    }
    const std::string& path() const { return path_; }
    /// To be called after it was used.
    void confirm() const {
        if (block_.input() && block_.input()->changed()) damaged(path_, "was changed while it was read");
    }

private:
    std::string path_;
    PageBlock block_;
    std::vector<Entry> table_;
    std::uint64_t words_ = 0;
};

// ---- sorting and merging ----

template <int W>
std::size_t sort_and_write(const RunPlan& plan, const std::string& path, Watch& watch) {
    const std::size_t size = plan.ids.size();
    const std::uint64_t most = plan.most_keys ? plan.most_keys : size + 1;
    const std::size_t runs = std::max<std::size_t>(1, (size + most - 1) / most);
    const Packing<W> packing(plan.words, plan.order);
    const std::vector<std::uint32_t> counts(plan.words);  // only how many there are matters here
    const SortPlan sorting{plan.ids, counts, plan.order, plan.threads, most};
    watch.begin(size);
    Slice<W> slice(sorting, packing, size / runs + 2);
    for (std::size_t r = 0; r < runs; ++r) {
        slice.sort(size * r / runs, size * (r + 1) / runs, plan.cuts, watch, [](std::size_t) {});
        RunWriter out(path + "." + std::to_string(r), plan.cuts.size() - 1);
        for (std::size_t p = 0; p + 1 < plan.cuts.size(); ++p) {
            out.begin(p, plan.cuts[p], plan.cuts[p + 1]);
            for (std::uint32_t w = plan.cuts[p]; w < plan.cuts[p + 1]; ++w) {
                if (slice.size(w) == 0) continue;
                out.first(w);
                for (const Wide<W>*at = slice.begin(w), *end = slice.end(w); at < end;) {
                    const Wide<W>* next = at + 1;
                    while (next < end && *next == *at) ++next;
                    out.key(*at, static_cast<std::uint64_t>(next - at));
                    at = next;
                }
            }
            out.end();
            watch.add(0);
        }
        out.close(plan.words, plan.order, W);
    }
    return runs;
}

template <int W>
MergedRun merge(const std::vector<std::string>& runs, std::uint64_t words, int order, std::size_t partition,
                const std::string& path, Watch& watch) {
    std::vector<std::unique_ptr<RunReader>> files;
    std::vector<Partition<W>> parts;
    std::uint64_t total = 0;
    for (const std::string& name : runs) {
        files.push_back(std::make_unique<RunReader>(name, words, order, W));
        parts.push_back(files.back()->template partition<W>(partition));
        if (parts.back().entry.from != parts[0].entry.from || parts.back().entry.to != parts[0].entry.to)
            damaged(name, "has other partitions than the rest");
        total += parts.back().entry.size;
    }
    watch.begin(total);
    const Packing<W> packing(words, order);
    RunWriter out(path, 1);
    out.begin(0, parts.empty() ? 0 : parts[0].entry.from, parts.empty() ? 0 : parts[0].entry.to);
    // The runs by their next first word, the smallest on top.
    std::vector<std::size_t> at(parts.size(), 0), heap;
    auto later = [&](std::size_t a, std::size_t b) { return parts[a].firsts[at[a]] > parts[b].firsts[at[b]]; };
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].entry.firsts) heap.push_back(i);
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty()) {
        const std::uint32_t word = parts[heap.front()].firsts[at[heap.front()]];
        Merge<W> merged;
        std::uint64_t taken = 0;
        while (!heap.empty() && parts[heap.front()].firsts[at[heap.front()]] == word) {
            std::pop_heap(heap.begin(), heap.end(), later);
            const std::size_t i = heap.back();
            const Partition<W>& part = parts[i];
            const std::uint64_t from = part.starts[at[i]], to = part.starts[at[i] + 1];
            merged.add(part.keys + from, part.keys + to, part.counts + from);
            taken += to - from;
            if (++at[i] < part.entry.firsts)
                std::push_heap(heap.begin(), heap.end(), later);
            else
                heap.pop_back();
        }
        out.first(word);
        const Wide<W>* before = nullptr;
        merged.run([&](const Wide<W>& key, std::uint64_t count) {
            const int length = packing.length_of(key);
            for (int j = before ? packing.shared_words(*before, key) : 0; j < length; ++j) out.kind(j + 2);
            before = &key;
            out.key(key, count);
        });
        watch.add(taken);
    }
    out.end();
    const std::uint64_t size = out.size(), bytes = out.close(words, order, W);
    for (const auto& file : files) file->confirm();
    return {size, bytes};
}

template <int W>
class MergedKeys final : public NgramKeys {
public:
    /// Of the first words [from, to).
    MergedKeys(const std::vector<std::string>& files, std::uint64_t words, std::uint32_t from, std::uint32_t to, int order,
               unsigned threads, Watch& watch)
        : packing_(words, order), words_(words), files_(files.size()), parts_(files.size()) {
        length_ = packing_.length;
        watch.begin(files.size());
        parallel_for(files.size(), threads, [&](std::size_t i) {
            files_[i] = std::make_unique<RunReader>(files[i], words, order, W);
            parts_[i] = files_[i]->template partition<W>(0);
            watch.add(1);
        });
        std::uint32_t next = from;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (parts_[i].entry.from != next || parts_[i].entry.to <= next) damaged(files[i], "is not the next partition");
            cuts_.push_back(next);
            next = parts_[i].entry.to;
            for (int o = 2; o <= order; ++o) {
                kinds_.push_back(parts_[i].entry.kinds[o - 1]);
                // Each key is at most one new n-gram of an order.
                if (kinds_.back() > parts_[i].entry.size) damaged(files[i], "announces n-grams that it does not have");
            }
        }
        if (parts_.empty() || next != to) throw NgramFormatError("a partition of the n-grams is missing");
        cuts_.push_back(next);
    }

    std::size_t runs() const override { return files_.size(); }

    void visit(std::size_t bundle, const Visit& visit) const override {
        const Partition<W>& part = parts_[bundle];
        const std::string& path = files_[bundle]->path();
        std::uint32_t codes[max_order];
        std::uint64_t seen[max_order] = {};
        for (std::size_t f = 0; f < part.entry.firsts; ++f) {
            const Wide<W>* before = nullptr;
            for (std::uint64_t at = part.starts[f]; at < part.starts[f + 1]; ++at) {
                const Wide<W>& key = part.keys[at];
                if (before && !(*before < key)) damaged(path, "has keys out of order");
                const int length = packing_.length_of(key), shared = before ? packing_.shared_words(*before, key) : 0;
                for (int j = shared; j < length; ++j) {
                    codes[j] = key.bits(static_cast<unsigned>(length_ - 1 - j) * packing_.bits, packing_.mask());
                    // Room was made for so many, and arrays are as long as the vocabulary.
                    if (++seen[j] > part.entry.kinds[j + 1] || packing_.codes.word(codes[j]) >= words_)
                        damaged(path, "has n-grams that it does not announce");
                }
                visit(part.firsts[f], codes, length, shared, part.counts[at]);
                before = &key;
            }
        }
        for (int j = 0; j < length_; ++j)
            if (seen[j] != part.entry.kinds[j + 1]) damaged(path, "lacks n-grams that it announces");
        files_[bundle]->confirm();
    }

    void forget(std::size_t bundle) const override { files_[bundle].reset(); }

private:
    Packing<W> packing_;
    std::uint64_t words_;
    mutable std::vector<std::unique_ptr<RunReader>> files_;
    std::vector<Partition<W>> parts_;
};

}  // namespace

std::size_t write_runs(const RunPlan& plan, const std::string& path, Watch& watch) {
    if (plan.cuts.size() < 2 || plan.cuts.front() != 0 || plan.cuts.back() != plan.words ||
        std::adjacent_find(plan.cuts.begin(), plan.cuts.end(), std::greater_equal<>()) != plan.cuts.end())
        throw std::invalid_argument("partitions must ascend from the first word to the last");
    for (const std::uint32_t id : plan.ids)
        if (id >= plan.words || id == word_begin) throw std::invalid_argument("an id is none of the vocabulary");
    return with_width(plan.words, plan.order, [&]<int W>() { return sort_and_write<W>(plan, path, watch); });
}

MergedRun merge_runs(const std::vector<std::string>& runs, std::uint64_t words, int order, std::size_t partition,
                     const std::string& path, Watch& watch) {
    return with_width(words, order, [&]<int W>() { return merge<W>(runs, words, order, partition, path, watch); });
}

std::unique_ptr<NgramKeys> merged_ngrams(const std::vector<std::string>& files, std::uint64_t words, int order,
                                         unsigned threads, Watch& watch) {
    return with_width(words, order, [&]<int W>() -> std::unique_ptr<NgramKeys> {
        return std::make_unique<MergedKeys<W>>(files, words, 0, static_cast<std::uint32_t>(words), order, threads, watch);
    });
}

std::unique_ptr<NgramKeys> merged_partition(const std::string& file, std::uint64_t words, int order, std::uint32_t from,
                                            std::uint32_t to, Watch& watch) {
    return with_width(words, order, [&]<int W>() -> std::unique_ptr<NgramKeys> {
        return std::make_unique<MergedKeys<W>>(std::vector<std::string>{file}, words, from, to, order, 1, watch);
    });
}

}  // namespace bitmeter
