// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

namespace graze::python {

namespace {

py::handle fault_type;

const char* name_of(FaultKind kind) {
    constexpr const char* names[] = {"bad_index", "not_finite", "out_of_range", "bad_polygon", "too_many",
                                     "not_rigid", "not_affine", "singular",     "bad_region",  "bad_object",
                                     "file",      "damaged",    "device"};
    static_assert(std::size(names) == static_cast<int>(FaultKind::Device) + 1);
    return names[static_cast<int>(kind)];
}

/// Raises a `graze.Fault`. Bytes of a message that are not UTF-8, as names of files may have, are replaced.
void raise(const Fault& fault) {
    const auto text = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(fault.message.data(), static_cast<Py_ssize_t>(fault.message.size()), "replace"));
    py::object raised = fault_type(text);
    raised.attr("kind") = name_of(fault.kind);
    PyErr_SetObject(fault_type.ptr(), raised.ptr());
}

void add_fault(py::module_& m) {
    constexpr const char* doc =
        "Something is wrong with an argument or a file. The message is one line that says what and where.\n\n"
        "`kind` is a word for programs: bad_index, not_finite, out_of_range, bad_polygon, too_many, not_rigid,\n"
        "not_affine, singular, bad_region, bad_object, file, damaged or device.\n\n"
        ">>> try:\n"
        "...     graze.Model([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 7]])\n"
        "... except graze.Fault as fault:\n"
        "...     print(fault.kind, '-', fault)\n"
        "bad_index - soup: triangle 0 names point 7 of 3\n";
    fault_type = PyErr_NewExceptionWithDoc("graze.Fault", doc, PyExc_ValueError, nullptr);
    m.attr("Fault") = fault_type;
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const Refused& refused) {
            raise(refused.fault);
        }
    });
}

}  // namespace

}  // namespace graze::python

PYBIND11_MODULE(_graze, m) {
    using namespace graze::python;
    py::options options;
    options.disable_function_signatures();
    m.attr("__version__") = GRAZE_VERSION;
    add_fault(m);
    add_shapes(m);
    add_model(m);
    add_queries(m);
    add_rays_and_regions(m);
    add_scene(m);
    add_solid(m);
    add_clash(m);
    add_robot(m);
}
