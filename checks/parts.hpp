// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checks/bounds.hpp"
#include "files/conventions.hpp"

namespace graze::checks {

/// A part of an assembly: a model and its placement.
struct Part {
    std::string path;         ///< file and nodes, separated by slashes; unique
    std::uint32_t model = 0;  ///< index into `Parts::models`
    Affine world_from_model;
    files::PartLabels labels = {};
    std::uint32_t file = 0;  ///< index into `Parts::files`
    double error = 0;        ///< how far its triangles may be from what they stand for, in the world
    std::uint32_t mesh = 0;  ///< index into the meshes of its file
    bool curved = false;     ///< `files::remesh` cuts this mesh into finer triangles, which lowers the error
};

/// A file or folder that cannot be read, or a product of a file that is in no part, or not whole.
struct LeftOut {
    std::string file;     ///< path of the file or folder
    std::string product;  ///< the path that the product would have as a part; empty for a whole file or folder
    std::string id;       ///< the product's GlobalId; may be empty
    std::string reason;   ///< one line that begins with the file, and names the product
    bool partly = false;  ///< some of the product is the part of this path

    const std::string& name() const { return product.empty() ? file : product; }
};

/// The entry of a product that a reader has left out. `product` is the path that it would have as a part.
LeftOut left_out(const std::string& file, std::string product, const files::Unread& one);

/// A note on a file, which begins with the file's path.
std::string with_file(const std::string& file, const std::string& note);

/// How to go on when one of several files cannot be read: check the others without it, or stop.
enum class BadFiles : std::uint8_t { LeaveOut, Stop };

/// A model that is not in memory.
struct Shape {
    std::string name;  ///< name of its file
    std::uint32_t triangles = 0;
    std::uint64_t bytes = 0;  ///< memory that the model takes
    Bounds box;               ///< `Model::bounds`
};

/// Milliseconds, those of all threads together.
struct ReadTimes {
    double read = 0;   ///< files
    double build = 0;  ///< models
};

struct Parts {
    std::vector<Model> models;  ///< no two have the same points and triangles, bit for bit
    std::vector<Shape> shapes;  ///< one per model when the models are in files; empty when they are all in memory
    std::vector<Part> parts;
    std::vector<Bounds> boxes;  ///< one per part, as `world_box` gives it; empty when nobody has computed them
    std::vector<files::FileConventions> files;  ///< what the parts were read from
    /// One per file: its name, wherever the folder is that was read: the folder's own name and the path below it,
    /// `plant/screws/m4.obj`, or the last name of a file that was given by itself.
    std::vector<std::string> file_names;
    std::vector<std::string> folders;  ///< names of the folders that were read: `plant` for `../plant/`
    std::vector<LeftOut> left_out;
    std::vector<std::string> notes;  ///< one line each: what was skipped or changed
    ReadTimes times;

    std::size_t triangle_count() const;  ///< triangles of all parts together
    std::size_t bytes() const;           ///< memory of the models
    std::size_t shape_count() const { return shapes.empty() ? models.size() : shapes.size(); }
    /// The name of the part's file; empty when it is from none.
    std::string file_name(const Part& part) const { return part.file < file_names.size() ? file_names[part.file] : ""; }
    /// The box of a model in its own frame.
    Bounds model_box(std::uint32_t model) const {
        return shapes.empty() ? Bounds(models[model].bounds()) : shapes[model].box;
    }
};

/// The box of a model's triangles in the world. Points that no triangle uses do not count.
Bounds world_box(const Model& model, const Affine& world_from_model);

/// Takes models out of memory while files are read.
class ModelStore {
public:
    virtual ~ModelStore() = default;
    /// Stores some of `parts.models` and says in `parts.shapes` what they are: all from number `first` on. `hashes` has
    /// one number per model, which depends on its content alone.
    virtual Result<void> store(Parts& parts, std::size_t first, std::span<const std::uint64_t> hashes) = 0;
    virtual Result<Model> load(const Shape& shape) const = 0;
};

/// True when two models have the same points, triangles and polygons, bit for bit.
bool same_content(const Model& a, const Model& b);

/// The model with its points placed.
Result<Model> placed_model(const Model& model, const Affine& placement, unsigned threads = 0);

/// Called from time to time with the progress, by one thread at a time.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Reads scenes, meshes, and folders. Of a folder and its subfolders all files of known formats are read, in the order
/// of their names; hidden files are skipped. Links that lead nowhere or to a folder are left out. The path of a part is
/// the path of the file below the folder, without extension, followed by the names of the nodes below the root of the
/// scene. With a single file the path has the nodes only. Equal paths get `#2` and so on. It is a fault when there is
/// no part at all.
///
/// If a `Scene` does not accept a placement, the points are transformed instead.
///
/// With a store, few files are in memory at a time. `Parts::models` then has empty models, and `Parts::boxes` is set.
Result<Parts> read_parts(std::span<const std::string> paths, const files::ReadOptions& options, unsigned threads = 0,
                         const Progress& progress = {}, BadFiles bad_files = BadFiles::LeaveOut,
                         ModelStore* store = nullptr);

/// The files that `read_parts` reads, in their order, and after those of a folder the links there that are left out.
std::vector<std::string> files_of(std::span<const std::string> paths);

}  // namespace graze::checks
