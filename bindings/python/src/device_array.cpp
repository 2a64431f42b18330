// SPDX-License-Identifier: Apache-2.0
#include "device_array.hpp"

#ifdef GRAZE_CUDA
#include <algorithm>

#include "graze/gpu.hpp"
#endif

namespace graze::python {

namespace {

/// The numbers of DLPack for memory of a CUDA device, and for memory that it shares with the host.
constexpr int dlpack_cuda = 2, dlpack_cuda_managed = 13;

/// A call that a stranger's object may answer in any way.
py::object asked(py::handle object, const char* method) {
    if (!py::hasattr(object, method)) return py::none();
    return object.attr(method)();
}

}  // namespace

bool on_gpu(py::handle object) {
    if (object.is_none() || py::isinstance<py::array>(object)) return false;
    if (py::hasattr(object, "__cuda_array_interface__")) return true;
    if (!py::hasattr(object, "__dlpack__")) return false;
    try {
        const py::object device = asked(object, "__dlpack_device__");
        if (!py::isinstance<py::tuple>(device) || py::len(device) != 2) return false;
        const int kind = py::int_(py::tuple(device)[0]);
        return kind == dlpack_cuda || kind == dlpack_cuda_managed;
    } catch (const py::error_already_set&) {
        return false;  // NumPy may know what to do with it
    }
}

#ifdef GRAZE_CUDA

namespace {

/// An array's description of itself.
struct DeviceRows {
    const void* data = nullptr;
    std::size_t size = 0;
    bool floats = false;
    void* stream = nullptr;  ///< where its numbers are made
};

[[noreturn]] void refuse_array(const char* what, const std::string& why) {
    refuse(FaultKind::BadIndex, std::string(what) + ": an array on a GPU " + why);
}

/// Checks the shape and the strides, in numbers; those may be missing.
std::size_t rows_in(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                    const char* what) {
    if (shape.size() != 3 || shape[1] != 3 || shape[2] != 4 || shape[0] < 0)
        refuse_array(what, "has the shape (n, 3, 4)");
    const bool packed =
        strides.empty() || shape[0] == 0 ||
        (strides.size() == 3 && strides[2] == 1 && strides[1] == 4 && (strides[0] == 12 || shape[0] == 1));
    if (!packed) refuse_array(what, "is packed: one row after the other");
    return static_cast<std::size_t>(shape[0]);
}

/// https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
DeviceRows from_interface(py::handle object, const char* what) {
    const py::object given = object.attr("__cuda_array_interface__");
    if (!py::isinstance<py::dict>(given)) refuse_array(what, "describes itself with a dictionary");
    const py::dict told = given;
    DeviceRows out;
    try {
        const std::string type = py::str(told["typestr"]);
        out.floats = type == "<f4";
        if (!out.floats && type != "<f8") refuse_array(what, "is of float32 or float64");
        std::vector<std::int64_t> strides;
        if (told.contains("strides") && !told["strides"].is_none())
            for (const py::handle s : told["strides"]) strides.push_back(s.cast<std::int64_t>() / (out.floats ? 4 : 8));
        out.size = rows_in(told["shape"].cast<std::vector<std::int64_t>>(), strides, what);
        out.data = reinterpret_cast<const void*>(py::tuple(told["data"])[0].cast<std::uintptr_t>());
        if (told.contains("stream") && !told["stream"].is_none())
            out.stream = reinterpret_cast<void*>(told["stream"].cast<std::uintptr_t>());
    } catch (const py::error_already_set&) {
        refuse_array(what, "lacks part of its description, or has a wrong one");
    } catch (const py::cast_error&) {
        refuse_array(what, "lacks part of its description, or has a wrong one");
    }
    return out;
}

/// The memory layout of DLPack's tensors, as its specification has it: https://dmlc.github.io/dlpack/latest/c_api.html
struct DlpackTensor {
    void* data;
    std::int32_t device_kind, device_number;
    std::int32_t rank;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
};
struct DlpackManaged {
    DlpackTensor tensor;
    void* context;
    void (*release)(DlpackManaged*);
};

/// A tensor that is given back when this ends.
class Dlpack {
public:
    explicit Dlpack(py::handle object, const char* what) {
        const py::object capsule = object.attr("__dlpack__")();
        held_ = static_cast<DlpackManaged*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
        if (!held_) {
            PyErr_Clear();
            refuse_array(what, "gives no DLPack tensor");
        }
        PyCapsule_SetName(capsule.ptr(), "used_dltensor");  // whoever takes a tensor says so
    }
    ~Dlpack() {
        if (held_->release) held_->release(held_);
    }
    Dlpack(const Dlpack&) = delete;

    DeviceRows rows(const char* what) const {
        const DlpackTensor& t = held_->tensor;
        constexpr int real = 2;
        if (t.code != real || (t.bits != 32 && t.bits != 64) || t.lanes != 1)
            refuse_array(what, "is of float32 or float64");
        DeviceRows out;
        out.floats = t.bits == 32;
        const auto rank = static_cast<std::size_t>(std::max(0, t.rank));
        out.size = rows_in({t.shape, t.shape + rank},
                           t.strides ? std::vector(t.strides, t.strides + rank) : std::vector<std::int64_t>{}, what);
        out.data = static_cast<const std::byte*>(t.data) + t.byte_offset;
        return out;
    }

private:
    DlpackManaged* held_ = nullptr;
};

/// The models last used, on the GPU. The interpreter's lock guards them.
gpu::Model on_device(const Model& model) {
    static auto& last = *new std::vector<gpu::Model>;  // never freed: at exit the driver may be gone
    const auto same = [&](const gpu::Model& m) {
        return m.host().points().data() == model.points().data() &&
               m.host().triangles().data() == model.triangles().data();
    };
    if (const auto known = std::find_if(last.begin(), last.end(), same); known != last.end()) {
        std::rotate(last.begin(), known, known + 1);
        return last.front();
    }
    constexpr std::size_t kept = 8;
    if (last.size() == kept) last.pop_back();
    last.insert(last.begin(), take(gpu::Model::make(model)));
    return last.front();
}

py::array_t<bool> answers_for(const Model& a, const Model& b, const DeviceRows& rows) {
    const gpu::Model on_a = on_device(a), on_b = on_device(b);
    py::array_t<bool> answers(static_cast<py::ssize_t>(rows.size));
    const std::span to(reinterpret_cast<std::uint8_t*>(answers.mutable_data()), rows.size);
    Result<void> done;
    {
        const py::gil_scoped_release release;
        done = gpu::intersects(on_a, on_b, {rows.data, rows.size, rows.floats}, to, rows.stream);
    }
    take(std::move(done));
    return answers;
}

}  // namespace

py::array_t<bool> intersects_on_gpu(const Model& a, const Model& b, py::handle a_from_b, const char* what) {
    if (py::hasattr(a_from_b, "__cuda_array_interface__")) return answers_for(a, b, from_interface(a_from_b, what));
    const Dlpack tensor(a_from_b, what);
    return answers_for(a, b, tensor.rows(what));
}

#else

py::array_t<bool> intersects_on_gpu(const Model&, const Model&, py::handle, const char* what) {
    refuse(FaultKind::Device,
           std::string(what) + ": the array is on a GPU, and this graze was built without GPU support");
}

#endif

}  // namespace graze::python
