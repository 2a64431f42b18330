// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device_array.hpp"
#include "soup/geometry.hpp"

namespace graze::python {

namespace {

using py::detail::npy_api;

/// Any array-like as an array. A fault when NumPy refuses it, as it does lists of unequal lengths.
py::array as_array(py::handle object, const char* what) {
    if (py::isinstance<py::array>(object)) return py::reinterpret_borrow<py::array>(object);
    if (on_gpu(object))
        refuse(
            FaultKind::Device,
            std::string(what) + ": the array is on a GPU; only intersects of two models takes placements from there");
    PyObject* made =
        npy_api::get().PyArray_FromAny_(object.ptr(), nullptr, 0, 0, npy_api::NPY_ARRAY_ENSUREARRAY_, nullptr);
    if (made) return py::reinterpret_steal<py::array>(made);
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError))
        throw py::error_already_set();
    PyErr_Clear();
    refuse(FaultKind::BadIndex, std::string(what) + ": this is no array of numbers");
}

std::string dtype_of(const py::array& array) { return py::str(array.dtype()); }

[[noreturn]] void wrong_shape(const py::array& array, const char* what, const char* wanted) {
    refuse(FaultKind::BadIndex, std::string(what) + ": the shape is " + shape_of(array) + ", not " + wanted);
}

template <class T>
Packed<T> packed(const py::array& array) {
    PyObject* made =
        npy_api::get().PyArray_FromAny_(array.ptr(), py::dtype::of<T>().release().ptr(), 0, 0,
                                        int{npy_api::NPY_ARRAY_ENSUREARRAY_} | int{npy_api::NPY_ARRAY_ALIGNED_} |
                                            npy_api::NPY_ARRAY_FORCECAST_ | py::array::c_style,
                                        nullptr);
    if (!made) throw py::error_already_set();
    return py::reinterpret_steal<Packed<T>>(made);
}

/// A fault unless all numbers are also doubles.
void check_doubles(const py::array& array, const char* what) {
    const char kind = array.dtype().kind();
    if (kind == 'f' && array.itemsize() <= 8) return;
    if (kind != 'i' && kind != 'u')
        refuse(FaultKind::BadIndex,
               std::string(what) + ": the dtype is " + dtype_of(array) + ", not float32 or float64");
    if (array.itemsize() < 8) return;
    const auto inside = [&](auto zero) {
        const auto all = packed<decltype(zero)>(array);
        constexpr auto most = static_cast<decltype(zero)>(std::int64_t{1} << 53);
        return std::all_of(all.data(), all.data() + all.size(), [&](auto v) {
            return v <= most && (kind == 'u' || v >= static_cast<decltype(zero)>(0) - most);
        });
    };
    if (!(kind == 'u' ? inside(std::uint64_t{}) : inside(std::int64_t{})))
        refuse(FaultKind::OutOfRange, std::string(what) + ": an integer is beyond 2^53");
}

/// The integers of an array, which must be in [0, limit). `complain(i, v)` throws when entry i is not.
template <class F>
void append_indices(const py::array& array, const char* what, std::size_t limit, std::vector<std::uint32_t>& out,
                    F&& complain) {
    const char kind = array.dtype().kind();
    if (kind != 'i' && kind != 'u')
        refuse(FaultKind::BadIndex, std::string(what) + ": the dtype is " + dtype_of(array) + ", not one of integers");
    const auto copy = [&](auto zero) {
        using T = decltype(zero);
        const Packed<T> all = packed<T>(array);
        const auto count = static_cast<std::size_t>(all.size());
        const T* from = all.data();
        out.insert(out.end(), from, from + count);
        bool sound = true;
        // A negative number is larger than every limit here.
        for (std::size_t i = 0; i < count; ++i)
            sound &= static_cast<std::uint64_t>(static_cast<std::int64_t>(from[i])) < limit;
        for (std::size_t i = 0; i < count && !sound; ++i)
            if (static_cast<std::uint64_t>(static_cast<std::int64_t>(from[i])) >= limit)
                complain(i, std::to_string(from[i]));
    };
    if (kind == 'u' && array.itemsize() == 8)
        copy(std::uint64_t{});
    else if (kind == 'u' && array.itemsize() == 4)
        copy(std::uint32_t{});
    else if (kind == 'i' && array.itemsize() == 4)
        copy(std::int32_t{});
    else
        copy(std::int64_t{});
}

[[noreturn]] void bad_corner(const char* what, std::size_t i, const std::string& index, std::size_t points) {
    refuse(FaultKind::BadIndex, std::string("soup: ") + what + " " + std::to_string(i) + " names point " + index +
                                    " of " + std::to_string(points));
}

/// A list of polygons, each of them indices.
Corners polygon_list(py::handle list, std::size_t points) {
    if (!PySequence_Check(list.ptr())) refuse(FaultKind::BadPolygon, "triangles: this is no array of integers");
    Corners out;
    out.offsets.push_back(0);
    const auto all = py::reinterpret_borrow<py::sequence>(list);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const py::object polygon = all[i];
        const py::array corners = as_array(polygon, "triangles");
        if (corners.ndim() != 1)
            refuse(FaultKind::BadPolygon, "triangles: polygon " + std::to_string(i) + " is no list of indices");
        if (corners.size() > 0)
            append_indices(corners, "triangles", points, out.corners,
                           [&](std::size_t, const std::string& v) { bad_corner("polygon", i, v, points); });
        if (out.corners.size() > 0xffffffffu) refuse(FaultKind::TooMany, "soup: polygons have more than 2^32 corners");
        out.offsets.push_back(static_cast<std::uint32_t>(out.corners.size()));
    }
    return out;
}

}  // namespace

void refuse(FaultKind kind, std::string message) { throw Refused{{kind, std::move(message)}}; }

std::string counted(std::size_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string shape_of(const py::array& array) { return py::str(py::tuple(array.attr("shape"))); }

double checked(double number, const char* what) {
    if (std::isnan(number)) refuse(FaultKind::NotFinite, std::string(what) + ": this is not a number");
    return number;
}

Packed<double> as_doubles(py::handle object, const char* what) {
    const py::array array = as_array(object, what);
    check_doubles(array, what);
    return packed<double>(array);
}

Vec3 as_vec3(py::handle object, const char* what) {
    const Packed<double> a = as_doubles(object, what);
    if (a.ndim() != 1 || a.size() != 3) wrong_shape(a, what, "(3,)");
    return {a.data()[0], a.data()[1], a.data()[2]};
}

Points::Points(py::handle object, Shape shape) {
    const char* what = "points";
    const py::array array = as_array(object, what);
    is_soup_ = shape == Shape::OrSoup && array.ndim() == 3 && array.shape(1) == 3 && array.shape(2) == 3;
    const bool empty = array.ndim() == 1 && array.size() == 0;
    if (!empty && !is_soup_ && (array.ndim() != 2 || array.shape(1) != 3))
        wrong_shape(array, what, shape == Shape::OrSoup ? "(n, 3) or (n, 3, 3)" : "(n, 3)");
    check_doubles(array, what);
    const auto view = [&]<class T>(const Packed<T>& all) {
        owner_ = all;
        view_ = PointView(std::span<const T>(all.data(), static_cast<std::size_t>(all.size())));
    };
    if (array.dtype().kind() == 'f' && array.itemsize() == 4)
        view(packed<float>(array));
    else
        view(packed<double>(array));
}

void Points::check(const char* what) const {
    bool sound = true;
    for (std::size_t i = 0; i < view_.size(); ++i) {
        const Vec3 p = view_[i];
        sound &= std::abs(p.x) <= max_coordinate && std::abs(p.y) <= max_coordinate && std::abs(p.z) <= max_coordinate;
    }
    if (!sound) throw Refused{detail::bad_point(what, view_, 0)};
}

Vectors::Vectors(py::handle object, const char* what) : array_(as_doubles(object, what)), data_(array_.data()) {
    const bool one = array_.ndim() == 1 && array_.shape(0) == 3;
    if (!one && (array_.ndim() != 2 || array_.shape(1) != 3)) wrong_shape(array_, what, "(3,) or (n, 3)");
    bool sound = true;
    for (py::ssize_t i = 0; i < array_.size(); ++i) sound &= std::abs(data_[i]) <= max_coordinate;
    if (!sound)
        throw Refused{detail::bad_point(
            what, PointView(std::span<const double>(data_, static_cast<std::size_t>(array_.size()))), 0)};
}

Corners as_corners(py::handle triangles, py::handle offsets, std::size_t points) {
    Corners out;
    if (!offsets.is_none()) {
        const py::array corners = as_array(triangles, "triangles"), starts = as_array(offsets, "offsets");
        if (corners.ndim() != 1) wrong_shape(corners, "triangles", "(k,), as offsets are given");
        if (starts.ndim() != 1 || starts.size() == 0) wrong_shape(starts, "offsets", "(m + 1,)");
        append_indices(corners, "triangles", points, out.corners, [&](std::size_t i, const std::string& v) {
            refuse(FaultKind::BadIndex,
                   "soup: corner " + std::to_string(i) + " names point " + v + " of " + std::to_string(points));
        });
        append_indices(starts, "offsets", static_cast<std::size_t>(corners.size()) + 1, out.offsets,
                       [&](std::size_t i, const std::string& v) {
                           refuse(FaultKind::BadPolygon, "soup: offset " + std::to_string(i) + " is " + v + " of " +
                                                             std::to_string(corners.size()) + " corners");
                       });
        return out;
    }
    if (!py::isinstance<py::array>(triangles)) {
        // NumPy refuses lists of unequal lengths. Older versions make an array of objects.
        PyObject* made =
            npy_api::get().PyArray_FromAny_(triangles.ptr(), nullptr, 0, 0, npy_api::NPY_ARRAY_ENSUREARRAY_, nullptr);
        if (!made) PyErr_Clear();
        const auto array = py::reinterpret_steal<py::object>(made);
        if (!made || py::reinterpret_borrow<py::array>(array).dtype().kind() == 'O')
            return polygon_list(triangles, points);
        return as_corners(array, offsets, points);
    }
    const auto array = py::reinterpret_borrow<py::array>(triangles);
    if (array.dtype().kind() == 'O') return polygon_list(triangles, points);
    if (array.ndim() == 1 && array.size() == 0) return out;
    if (array.ndim() != 2) wrong_shape(array, "triangles", "(m, 3)");
    const auto corners_each = static_cast<std::size_t>(array.shape(1));
    const auto count = static_cast<std::size_t>(array.shape(0));
    const bool polygons = corners_each != 3;
    append_indices(array, "triangles", points, out.corners, [&](std::size_t i, const std::string& v) {
        bad_corner(polygons ? "polygon" : "triangle", i / corners_each, v, points);
    });
    if (!polygons) return out;
    if (out.corners.size() > 0xffffffffu) refuse(FaultKind::TooMany, "soup: polygons have more than 2^32 corners");
    if (count > 0 && corners_each < 3)
        refuse(FaultKind::BadPolygon,
               "soup: polygon 0 has " + std::to_string(corners_each) + (corners_each == 1 ? " corner" : " corners"));
    for (std::size_t i = 0; i <= count; ++i) out.offsets.push_back(static_cast<std::uint32_t>(i * corners_each));
    return out;
}

std::vector<std::uint32_t> as_triangles(py::handle object, std::size_t count) {
    const py::array array = as_array(object, "triangles");
    if (array.ndim() != 1) wrong_shape(array, "triangles", "(k,)");
    std::vector<std::uint32_t> all;
    if (array.size() == 0) return all;
    append_indices(array, "triangles", count, all, [&](std::size_t i, const std::string& v) {
        refuse(FaultKind::BadIndex,
               "triangles: entry " + std::to_string(i) + " names triangle " + v + " of " + std::to_string(count));
    });
    return all;
}

std::vector<TrianglePair> as_pairs(py::handle object, std::size_t count_a, std::size_t count_b) {
    const py::array array = as_array(object, "pairs");
    if (array.ndim() != 2 || array.shape(1) != 2) wrong_shape(array, "pairs", "(k, 2)");
    const auto beyond = [&](std::size_t i, const std::string& v) {
        refuse(FaultKind::BadIndex, "pairs: pair " + std::to_string(i / 2) + " names triangle " + v + " of " +
                                        std::to_string(i % 2 ? count_b : count_a));
    };
    std::vector<std::uint32_t> all;
    append_indices(array, "pairs", std::max(count_a, count_b), all, beyond);
    std::vector<TrianglePair> out;
    for (std::size_t i = 0; i < all.size(); i += 2) {
        if (all[i] >= count_a) beyond(i, std::to_string(all[i]));
        if (all[i + 1] >= count_b) beyond(i + 1, std::to_string(all[i + 1]));
        out.push_back({all[i], all[i + 1]});
    }
    return out;
}

Placements::Placements(py::handle object, const char* what) : what_(what) {
    if (object.is_none()) return;
    owner_ = as_doubles(object, what);
    const py::ssize_t rank = owner_.ndim();
    batch_ = rank == 3;
    if ((rank != 2 && rank != 3) || owner_.shape(rank - 1) != 4 ||
        (owner_.shape(rank - 2) != 3 && owner_.shape(rank - 2) != 4))
        wrong_shape(owner_, what, "(4, 4), (3, 4), (n, 4, 4) or (n, 3, 4)");
    stride_ = static_cast<std::size_t>(4 * owner_.shape(rank - 2));
    if (batch_) size_ = static_cast<std::size_t>(owner_.shape(0));
    data_ = static_cast<const double*>(owner_.data());
}

Result<Affine> Placements::operator[](std::size_t i) const {
    if (!data_) return Affine();
    if (stride_ == 12) {
        std::array<double, 12> rows;
        std::memcpy(rows.data(), data_ + 12 * i, sizeof rows);
        return Affine::from_rows(rows);
    }
    std::array<double, 16> matrix;
    std::memcpy(matrix.data(), data_ + 16 * i, sizeof matrix);
    return Affine::from_matrix4(matrix);
}

Poses Placements::poses() const {
    return take(Poses::from_numbers(std::span(data_, size_ * stride_),
                                    stride_ == 12 ? PoseLayout::Rows : PoseLayout::Matrices));
}

Affine Placements::one() const {
    if (batch_)
        refuse(FaultKind::BadIndex, std::string(what_) + ": one placement is needed, the shape is " + shape_of(owner_));
    return take((*this)[0]);
}

py::array_t<double> matrix_of(const Affine& placement) {
    py::array_t<double> out({4, 4});
    const std::array<double, 12> rows = placement.rows();
    std::memcpy(out.mutable_data(), rows.data(), sizeof rows);
    const double last[4] = {0, 0, 0, 1};
    std::memcpy(out.mutable_data() + 12, last, sizeof last);
    return out;
}

py::array_t<double> array_of(const Vec3& v) { return py::array_t<double>(3, &v.x); }

py::array_t<double> array_of(std::span<const Vec3> points) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    py::array_t<double> out({static_cast<py::ssize_t>(points.size()), py::ssize_t{3}});
    if (!points.empty()) std::memcpy(out.mutable_data(), points.data(), points.size_bytes());
    return out;
}

py::array_t<std::uint32_t> array_of(std::span<const TrianglePair> pairs) {
    static_assert(sizeof(TrianglePair) == 2 * sizeof(std::uint32_t));
    py::array_t<std::uint32_t> out({static_cast<py::ssize_t>(pairs.size()), py::ssize_t{2}});
    if (!pairs.empty()) std::memcpy(out.mutable_data(), pairs.data(), pairs.size_bytes());
    return out;
}

std::string path_of(py::handle path) {
    PyObject* bytes = nullptr;
    if (!PyUnicode_FSConverter(path.ptr(), static_cast<void*>(&bytes))) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw py::error_already_set();
        PyErr_Clear();
        refuse(FaultKind::File, "path: this is no name of a file");
    }
    return std::string(py::reinterpret_steal<py::bytes>(bytes));
}

py::handle named_tuple(py::module_& module, const char* name, const char* fields, const char* doc) {
    py::object type = py::module_::import("collections").attr("namedtuple")(name, fields, py::arg("module") = "graze");
    type.attr("__doc__") = doc;
    module.attr(name) = type;
    return type.release();  // lives as long as the interpreter
}

}  // namespace graze::python
