// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/first_fault.hpp"
#include "base/parallel.hpp"
#include "checks/part_files.hpp"
#include "files/conventions.hpp"
#include "files/text.hpp"

namespace graze::checks {

namespace {

namespace fs = std::filesystem;

std::uint64_t hash_of(const files::Mesh& mesh) {
    std::uint64_t h = mesh.points.size();
    const auto add = [&](std::uint64_t bits) { h = (std::rotl(h, 29) ^ bits) * 0x9e3779b97f4a7c15u; };
    for (const Vec3& p : mesh.points)
        for (int d = 0; d < 3; ++d) add(std::bit_cast<std::uint64_t>(p[d]));
    for (const std::uint32_t c : mesh.corners) add(c);
    for (const std::uint32_t c : mesh.offsets) add(c);
    return h;
}

template <class T, class U>
bool same_bits(std::span<const T> a, std::span<const U> b) {
    return a.size_bytes() == b.size_bytes() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

bool same_polygons(const Model& a, const Model& b) {
    if (a.polygon_count() != b.polygon_count()) return false;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
        if (a.polygon_of(i) != b.polygon_of(i)) return false;
    return true;
}

/// True when the model was built of this mesh. Always false for a mesh with polygons.
bool same(const Model& a, const files::Mesh& mesh) {
    return !mesh.has_polygons() && a.polygon_count() == a.triangle_count() &&
           same_bits(a.points(), std::span<const Vec3>(mesh.points)) &&
           same_bits(a.triangles(), std::span<const std::uint32_t>(mesh.corners));
}

/// A model and the hash of the mesh that it was built of.
struct Hashed {
    Model model;
    std::uint64_t hash = 0;
};

/// Models by content, so that equal meshes are built once.
class Known {
public:
    std::optional<Model> find(std::uint64_t hash, const files::Mesh& mesh) const {
        std::optional<Model> model;
        {
            const std::lock_guard lock(mutex_);
            const auto at = models_.find(hash);
            if (at == models_.end()) return {};
            model = at->second;
        }
        if (!same(*model, mesh)) return {};
        return model;
    }
    void add(const Hashed& one) {
        const std::lock_guard lock(mutex_);
        models_.emplace(one.hash, one.model);
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Model> models_;
};

/// Milliseconds since it was made.
class Timer {
public:
    double ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

struct Loaded {
    std::vector<Hashed> models;
    std::vector<files::Part> parts;
    std::vector<double> errors;  ///< one per part
    std::vector<bool> curved;    ///< one per model
    std::vector<files::Unread> unread;
    std::vector<std::string> notes;
    files::Conventions conventions;
    ReadTimes times;
};

bool placeable(const Affine& placement) {
    const auto small = [](const Affine& a) {
        for (const Vec3& r : a.linear().row)
            if (!(std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z)}) <= Scene::max_scale)) return false;
        return true;
    };
    const Result<Affine> back = inverse(placement);
    return back && small(placement) && small(*back);
}

Result<Loaded> load(const std::string& file, const files::ReadOptions& options, unsigned threads, Known& known) {
    const Timer reading;
    Result<files::Assembly> read = files::read_assembly(file, options);
    if (!read) return read.fault();
    const double read_ms = reading.ms();
    std::vector<double> errors = read->errors();
    Loaded out{.models = {},
               .parts = std::move(read->parts),
               .errors = std::move(errors),
               .curved = {},
               .unread = std::move(read->unread),
               .notes = std::move(read->notes),
               .conventions = std::move(read->conventions),
               .times = {.read = read_ms}};
    std::vector<files::Mesh> meshes = std::move(read->meshes);
    std::size_t placed = 0;
    for (files::Part& part : out.parts) {
        if (placeable(part.world_from_mesh)) continue;
        files::Mesh mesh = meshes[part.mesh];
        for (Vec3& p : mesh.points) p = part.world_from_mesh(p);
        mesh.curved = false;  // its points are no longer in the frame of the file's mesh
        part.mesh = static_cast<std::uint32_t>(meshes.size());
        part.world_from_mesh = {};
        meshes.push_back(std::move(mesh));
        ++placed;
    }
    if (placed > 0)
        out.notes.push_back(file + ": " + std::to_string(placed) +
                            " placements scale by more than 512 or less than 1/512: they went into the points");
    std::vector<bool> used(meshes.size());
    for (const files::Part& part : out.parts) used[part.mesh] = true;
    for (const files::Mesh& mesh : meshes) out.curved.push_back(mesh.curved);

    out.models.resize(meshes.size());
    detail::FirstFault faults;
    std::vector<double> build_ms(meshes.size());
    const unsigned each = meshes.size() > 1 ? 1 : threads;
    detail::parallel_for(meshes.size(), threads, [&](std::size_t i) {
        if (!used[i]) return;
        const Timer building;
        Hashed& one = out.models[i];
        one.hash = hash_of(meshes[i]);
        if (const std::optional<Model> model = known.find(one.hash, meshes[i])) {
            one.model = *model;
        } else if (Result<Model> built = Model::build(meshes[i].view(), {.threads = each})) {
            one.model = std::move(*built);
            known.add(one);
        } else {
            faults.report(i, {built.fault().kind, file + ": " + built.fault().message});
        }
        meshes[i] = {};
        build_ms[i] = building.ms();
    });
    if (faults.any()) return faults.fault();
    out.times.build = std::accumulate(build_ms.begin(), build_ms.end(), 0.0);
    return out;
}

/// Length of the name of the scene's root, slash included, when all paths start with it. Every scene has a root of some
/// name, which says nothing about the parts.
std::size_t root_of(const std::string& file, const std::vector<files::Part>& parts) {
    if (files::extension(file) == ".obj") return 0;  // its paths begin with objects, not with a root
    const std::string root = parts[0].path.substr(0, parts[0].path.find('/') + 1);
    const bool all = std::all_of(parts.begin(), parts.end(),
                                 [&](const files::Part& p) { return p.path.starts_with(root) && p.path != root; });
    return all ? root.size() : 0;
}

/// Puts together what was loaded, in the order of the files.
class Collector {
public:
    explicit Collector(ModelStore* store) : store_(store) {}

    Result<void> add(const PartFile& source, Loaded& loaded, bool only) {
        std::vector<std::uint32_t> number(loaded.models.size());
        for (std::size_t i = 0; i < number.size(); ++i) {
            if (loaded.models[i].model.triangle_count() == 0) continue;
            const Result<std::uint32_t> found = number_of(loaded.models[i]);
            if (!found.ok()) return found.fault();
            number[i] = *found;
        }
        const std::string stem = fs::path(source.name).filename().string();
        const std::size_t root = root_of(source.file, loaded.parts);
        const std::string root_name = loaded.parts[0].path.substr(0, root);
        const auto path_of = [&](const std::string& path) {
            const std::string below = path.starts_with(root_name) ? path.substr(root) : path;
            // A file of one mesh is a part by itself.
            if (below.empty() || (loaded.parts.size() == 1 && below == stem)) return source.name;
            return only ? below : source.name + "/" + below;
        };
        for (std::size_t i = 0; i < loaded.parts.size(); ++i) {
            const files::Part& part = loaded.parts[i];
            parts_.parts.push_back({.path = unique(path_of(part.path.empty() ? part.name : part.path)),
                                    .model = number[part.mesh],
                                    .world_from_model = part.world_from_mesh,
                                    .labels = part.labels,
                                    .file = static_cast<std::uint32_t>(parts_.files.size()),
                                    .error = loaded.errors[i],
                                    .mesh = part.mesh,
                                    .curved = loaded.curved[part.mesh]});
            if (store_) parts_.boxes.push_back(world_box(loaded.models[part.mesh].model, part.world_from_mesh));
        }
        loaded.models.clear();
        parts_.times.read += loaded.times.read;
        parts_.times.build += loaded.times.build;
        parts_.files.push_back({source.file, std::move(loaded.conventions)});
        parts_.file_names.push_back(source.file_name);
        for (const files::Unread& one : loaded.unread) add_left_out(source.file, path_of(one.path), one);
        for (const std::string& note : loaded.notes) parts_.notes.push_back(with_file(source.file, note));
        return {};
    }

    /// Places a file in the coordinates of the first one that is on a map. A fault when their maps are unlike.
    Result<void> place(const PartFile& source, Loaded& loaded, const files::ReadOptions& options) {
        if (!loaded.conventions.map) return {};
        if (!on_map_) on_map_ = {source.file, loaded.conventions};
        const Result<Affine> place = files::placement_by_map(on_map_->conventions, loaded.conventions, options);
        const auto refused = [&](const Fault& fault) {
            return Fault{fault.kind, source.file + ": not compared with " + on_map_->path + ": " + fault.message};
        };
        if (!place) return refused(place.fault());
        if (*place == Affine()) return {};
        for (std::size_t i = 0; i < loaded.parts.size(); ++i) {
            const Result<Affine> placed = compose(*place, loaded.parts[i].world_from_mesh);
            if (!placed) return refused(placed.fault());
            loaded.parts[i].world_from_mesh = *placed;
            loaded.errors[i] += 8 * std::numeric_limits<double>::epsilon() * options.scale *
                                (length(loaded.conventions.map->origin) + length(on_map_->conventions.map->origin));
        }
        const std::string how = files::map_move_note(*place, *on_map_, options);
        const auto known = std::ranges::find(moved_, how, &Moved::how);
        if (known == moved_.end())
            moved_.push_back({how, source.file, 1});
        else
            ++known->files;
        return {};
    }

    /// Adds a product of the file that was added last. It may be a part all the same, if some of it was read.
    void add_left_out(const std::string& file, std::string path, const files::Unread& one) {
        const auto is_it = [&](const Part& part) {
            return part.file + 1 == parts_.files.size() && !one.id.empty() && part.labels.id == one.id;
        };
        const auto part = std::ranges::find_if(parts_.parts, is_it);
        const bool partly = part != parts_.parts.end();
        LeftOut& added =
            parts_.left_out.emplace_back(left_out(file, partly ? part->path : unique(std::move(path)), one));
        added.partly = partly;
    }

    /// Takes the models that have been added since the last time out of memory, if there is a store.
    Result<void> store() {
        if (!store_) return {};
        const std::size_t first = parts_.shapes.size();
        if (const Result<void> stored = store_->store(parts_, first, std::span(hashes_).subspan(first)); !stored)
            return stored;
        const Model none;  // copies share what little it has
        for (std::size_t i = first; i < parts_.models.size(); ++i) parts_.models[i] = none;
        return {};
    }

    Parts take() && {
        for (const Moved& one : moved_) parts_.notes.push_back(files::names_of(one.first, one.files) + ": " + one.how);
        return std::move(parts_);
    }

private:
    Result<std::uint32_t> number_of(const Hashed& one) {
        const auto [first, last] = numbers_.equal_range(one.hash);
        for (auto at = first; at != last; ++at) {
            if (at->second >= parts_.shapes.size()) {
                if (same_content(parts_.models[at->second], one.model)) return at->second;
                continue;
            }
            const Result<Model> model = store_->load(parts_.shapes[at->second]);
            if (!model) return model.fault();
            if (same_content(*model, one.model)) return at->second;
        }
        const auto number = static_cast<std::uint32_t>(parts_.models.size());
        parts_.models.push_back(one.model);
        hashes_.push_back(one.hash);
        numbers_.emplace(one.hash, number);
        return number;
    }

    std::string unique(std::string path) {
        if (used_.insert(path).second) return path;
        for (std::size_t& n = next_.try_emplace(path, 2).first->second;; ++n)
            if (std::string other = path + "#" + std::to_string(n); used_.insert(other).second) return other;
    }

    /// Files that were moved in the same way.
    struct Moved {
        std::string how, first;
        std::size_t files;
    };

    Parts parts_;
    ModelStore* store_;
    std::optional<files::FileConventions> on_map_;  ///< the first file that is
    std::vector<Moved> moved_;
    std::vector<std::uint64_t> hashes_;  ///< one per model
    std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;
    std::unordered_set<std::string> used_;
    std::unordered_map<std::string, std::size_t> next_;
};

/// The end of the files from `begin` on that are in memory at the same time: at least one.
std::size_t end_of_window(const std::vector<PartFile>& sources, std::size_t begin) {
    constexpr std::uintmax_t bytes_at_a_time = std::uintmax_t{64} << 20;
    constexpr std::size_t files_at_a_time = 4096;
    std::uintmax_t bytes = 0;
    std::size_t end = begin;
    while (end < sources.size() && end - begin < files_at_a_time) {
        std::error_code unknown;
        const std::uintmax_t size = fs::file_size(sources[end].file, unknown);
        if (!unknown) bytes += size;
        if (end > begin && bytes > bytes_at_a_time) break;
        ++end;
    }
    return end;
}

}  // namespace

std::size_t Parts::triangle_count() const {
    std::size_t count = 0;
    for (const Part& part : parts)
        count += shapes.empty() ? models[part.model].triangle_count() : shapes[part.model].triangles;
    return count;
}

LeftOut left_out(const std::string& file, std::string product, const files::Unread& one) {
    const std::string text = files::Unread{product, one.id, one.reason}.text(file);
    return {file, std::move(product), one.id, text};
}

std::string with_file(const std::string& file, const std::string& note) {
    return note.starts_with(file) ? note : file + ": " + note;
}

std::size_t Parts::bytes() const {
    std::size_t sum = 0;
    for (const Model& model : models) sum += model.bytes();
    return sum;
}

bool same_content(const Model& a, const Model& b) {
    // Copies of one model share their memory.
    if (a.points().data() == b.points().data() && a.triangles().data() == b.triangles().data()) return true;
    return same_bits(a.points(), b.points()) && same_bits(a.triangles(), b.triangles()) && same_polygons(a, b);
}

Bounds world_box(const Model& model, const Affine& world_from_model) {
    if (world_from_model == Affine()) return Bounds(model.bounds());
    Bounds box;
    for (const auto& corners : model.triangles())
        for (const std::uint32_t c : corners) box.add(world_from_model(model.points()[c]));
    return box;
}

Result<Model> placed_model(const Model& model, const Affine& placement, unsigned threads) {
    if (placement == Affine()) return model;
    std::vector<Vec3> points(model.points().begin(), model.points().end());
    for (Vec3& p : points) p = placement(p);
    return Model::build(SoupView(points, model.triangles()), {.threads = threads});
}

Result<Parts> read_parts(std::span<const std::string> paths, const files::ReadOptions& options, unsigned threads,
                         const Progress& progress, BadFiles bad_files, ModelStore* store) {
    PartFiles found;
    std::vector<std::string> folders;
    std::vector<PartFile>& sources = found.sources;
    std::optional<Fault> first_fault;
    const auto leave_out = [&](const std::string& path, const Fault& fault) {
        if (!first_fault) first_fault = fault;
        found.left_out.push_back({path, "", "", fault.message});
    };
    for (const std::string& path : paths) {
        std::error_code ignored;
        if (!fs::is_directory(path, ignored)) {
            sources.push_back({path, fs::path(path).stem().string(), fs::path(path).filename().string()});
            continue;
        }
        folders.push_back(folder_name(path));
        const std::size_t before = found.left_out.size();
        if (const Result<void> added = add_folder(path, found); !added)
            leave_out(path, added.fault());
        else if (!first_fault && found.left_out.size() > before)
            first_fault = Fault{FaultKind::File, found.left_out[before].reason};
    }
    if (first_fault && bad_files == BadFiles::Stop) return *first_fault;

    // Where there are few files they tend to be large, so each gets all threads.
    const unsigned each = sources.size() > 4 ? 1 : threads;
    std::mutex mutex;
    std::size_t done = 0;
    Collector collector(store);
    for (std::size_t begin = 0, end = 0; begin < sources.size(); begin = end) {
        end = store ? end_of_window(sources, begin) : sources.size();
        std::vector<std::optional<Result<Loaded>>> loaded(end - begin);
        detail::FirstFault bad;
        Known known;
        detail::parallel_for(loaded.size(), threads, [&](std::size_t i) {
            if (i > bad.at() && bad_files == BadFiles::Stop) return;
            if (options.stop && *options.stop) return;
            loaded[i] = load(sources[begin + i].file, options, each, known);
            if (!*loaded[i]) bad.report(i, loaded[i]->fault());
            if (!progress) return;
            const std::lock_guard lock(mutex);
            progress(++done, sources.size());
        });
        if (options.stop && *options.stop) return Fault{FaultKind::File, "reading was stopped"};
        if (bad.any() && bad_files == BadFiles::Stop) return bad.fault();
        for (std::size_t i = 0; i < loaded.size(); ++i) {
            const PartFile& source = sources[begin + i];
            Result<void> placed;
            if (*loaded[i]) placed = collector.place(source, **loaded[i], options);
            if (!placed && bad_files == BadFiles::Stop) return placed.fault();
            if (!*loaded[i])
                leave_out(source.file, loaded[i]->fault());
            else if (!placed)
                leave_out(source.file, placed.fault());
            else if (const Result<void> added = collector.add(source, **loaded[i], sources.size() == 1); !added)
                return added.fault();
        }
        if (const Result<void> stored = collector.store(); !stored) return stored.fault();
    }
    Parts parts = std::move(collector).take();
    if (parts.parts.empty() && first_fault) return *first_fault;
    if (parts.parts.empty()) return Fault{FaultKind::File, "the files have no parts"};
    parts.folders = std::move(folders);
    parts.left_out.insert(parts.left_out.begin(), found.left_out.begin(), found.left_out.end());
    parts.notes.insert(parts.notes.begin(), found.notes.begin(), found.notes.end());
    return parts;
}

}  // namespace graze::checks
