// SPDX-License-Identifier: Apache-2.0
// Between NumPy's arrays and the library's views. Everything here needs the interpreter's lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graze/graze.hpp"

namespace graze::python {

namespace py = pybind11;

/// A fault on its way to the interpreter, where it becomes a `graze.Fault`.
struct Refused {
    Fault fault;
};

[[noreturn]] void refuse(FaultKind kind, std::string message);

/// The value of a result. A fault is thrown.
template <class T>
T take(Result<T>&& result) {
    if (!result.ok()) throw Refused{result.fault()};
    return std::move(result).value();
}
inline void take(Result<void>&& result) {
    if (!result.ok()) throw Refused{result.fault()};
}

/// Contiguous and, as `as_doubles` and the like make it, aligned and in the machine's byte order.
template <class T>
using Packed = py::array_t<T, py::array::c_style>;

/// An array of numbers, as doubles. Float32, float64, float16 and integers up to 2^53 convert exactly. Everything else
/// is a fault that begins with `what`.
Packed<double> as_doubles(py::handle object, const char* what);

/// The array's shape as Python writes it: `(3, 4)`.
std::string shape_of(const py::array& array);

/// A fault when the number is NaN.
double checked(double number, const char* what);

/// Three numbers.
Vec3 as_vec3(py::handle object, const char* what);

/// Points of shape (n, 3). Arrays of float32 and float64 are viewed in place if they are packed.
class Points {
public:
    enum class Shape : std::uint8_t { Points, OrSoup };  ///< a soup is of shape (n, 3, 3): triangles with their corners
    explicit Points(py::handle object, Shape shape = Shape::Points);
    /// A fault when a number is not finite or beyond `max_coordinate`. Its message begins with `what`.
    void check(const char* what) const;
    const PointView& view() const { return view_; }
    bool is_soup() const { return is_soup_; }
    /// The array whose memory is viewed.
    const py::array& owner() const { return owner_; }

private:
    py::array owner_;
    PointView view_;
    bool is_soup_ = false;
};

/// Points of shape (n, 3), or one of shape (3,). Numbers that are not finite or beyond `max_coordinate` are faults.
class Vectors {
public:
    Vectors(py::handle object, const char* what);
    bool batch() const { return array_.ndim() == 2; }
    std::size_t size() const { return batch() ? static_cast<std::size_t>(array_.shape(0)) : 1; }
    Vec3 operator[](std::size_t i) const {
        const double* at = data_ + (batch() ? 3 * i : 0);  // one is paired with each of many
        return {at[0], at[1], at[2]};
    }
    /// The vectors, which live as long as this.
    PointView view() const { return std::span<const double>(data_, 3 * size()); }

private:
    Packed<double> array_;
    const double* data_;
};

/// The corners of triangles or polygons.
struct Corners {
    std::vector<std::uint32_t> corners;
    std::vector<std::uint32_t> offsets;  ///< where polygons begin; empty when all are triangles
    IndexView corner_view() const { return std::span<const std::uint32_t>(corners); }
    IndexView offset_view() const { return std::span<const std::uint32_t>(offsets); }
};

/// Corners from an array of shape (m, 3), of shape (m, k) for polygons of k corners, from a list of polygons, or from
/// all corners in a row with the offsets of the polygons. The indices are copied while the interpreter's lock is held:
/// no other thread can change them once they are checked.
Corners as_corners(py::handle triangles, py::handle offsets, std::size_t point_count);

/// Indices of triangles from an array of shape (k,), all below `count`.
std::vector<std::uint32_t> as_triangles(py::handle object, std::size_t count);

/// Pairs of triangles from an array of shape (k, 2). The first are below `count_a`, the second below `count_b`.
std::vector<TrianglePair> as_pairs(py::handle object, std::size_t count_a, std::size_t count_b);

/// One placement or many: arrays of shape (4, 4), (3, 4), (n, 4, 4) or (n, 3, 4). None is the identity.
class Placements {
public:
    Placements(py::handle object, const char* what);
    bool batch() const { return batch_; }
    std::size_t size() const { return size_; }
    /// May run without the interpreter's lock.
    Result<Affine> operator[](std::size_t i) const;
    /// The placements of a batch, which live as long as this.
    Poses poses() const;
    /// The only placement. A fault when there are many.
    Affine one() const;

private:
    const char* what_;
    py::array owner_;
    const double* data_ = nullptr;  ///< null for the identity
    std::size_t stride_ = 0, size_ = 1;
    bool batch_ = false;
};

/// The rows of a placement as an array of shape (4, 4).
py::array_t<double> matrix_of(const Affine& placement);

/// A new array that owns a copy of the values.
template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}
py::array_t<double> array_of(const Vec3& v);
py::array_t<double> array_of(std::span<const Vec3> points);
py::array_t<std::uint32_t> array_of(std::span<const TrianglePair> pairs);

/// A number and its noun: "1 part", "3 parts".
std::string counted(std::size_t count, const char* noun);

/// A file's name from a string, bytes or anything with a path.
std::string path_of(py::handle path);

/// Makes a named tuple, a member of the module.
py::handle named_tuple(py::module_& module, const char* name, const char* fields, const char* doc);

/// A class of the module. An object that was made by `__new__` without `__init__` is no argument for anything: by
/// itself pybind11 would give it memory with nothing in it.
template <class T>
py::class_<T> add_class(py::module_& module, const char* name, const char* doc) {
    py::class_<T> added(module, name, doc);
    py::detail::get_type_info(typeid(T), true)->operator_new = [](std::size_t) -> void* {
        throw py::type_error("this object was made without __init__");
    };
    return added;
}

/// Marks an object as in use for as long as this lives. A second use at a time is a fault.
class InUse {
public:
    InUse(bool& flag, const char* what) : flag_(flag) {
        if (flag) refuse(FaultKind::BadObject, std::string(what) + ": another thread is using it");
        flag = true;
    }
    ~InUse() { flag_ = false; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

private:
    bool& flag_;
};

}  // namespace graze::python
