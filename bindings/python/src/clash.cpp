// SPDX-License-Identifier: Apache-2.0
// Reading files, and clashes between parts.
#include "checks/clash.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "assembly.hpp"
#include "checks/baseline.hpp"
#include "checks/causes.hpp"
#include "checks/clash_columns.hpp"
#include "checks/clash_formats.hpp"
#include "checks/json.hpp"
#include "interrupt.hpp"
#include "parts.hpp"
#ifdef GRAZE_REPORT
#include "report/clash_page.hpp"
#endif

namespace graze::python {

namespace {

py::handle clash_type;

files::Up up_of(const std::string& name) {
    const std::map<std::string, files::Up> all = {{"stated", files::Up::Stated},
                                                  {"keep", files::Up::Keep},
                                                  {"x", files::Up::X},
                                                  {"y", files::Up::Y},
                                                  {"z", files::Up::Z}};
    const auto at = all.find(name);
    if (at == all.end()) refuse(FaultKind::BadIndex, "up: '" + name + "' is none of stated, keep, x, y, z");
    return at->second;
}

std::vector<std::string> paths_of(py::handle paths) {
    std::vector<std::string> all;
    if (py::isinstance<py::list>(paths) || py::isinstance<py::tuple>(paths))
        for (const py::handle path : paths) all.push_back(path_of(path));
    else
        all.push_back(path_of(paths));
    return all;
}

double length_of(double value, const char* what) {
    if (!(value >= 0) || !std::isfinite(value))
        refuse(FaultKind::OutOfRange,
               std::string(what) + ": " + std::string(py::str(py::float_(value))) + " is not a length");
    return value;
}

PyParts read(py::handle paths, double scale, const std::string& up, bool groups, double deflection,
             const std::vector<std::string>& allow_folders, bool strict, unsigned threads, py::object progress) {
    const std::vector<std::string> all = paths_of(paths);
    if (!(scale > 0) || !std::isfinite(scale)) refuse(FaultKind::OutOfRange, "scale: this is not a positive number");
    files::ReadOptions options{.scale = scale,
                               .up = up_of(up),
                               .groups = groups,
                               .allowed_folders = allow_folders,
                               .deflection = length_of(deflection, "deflection")};
    const auto bad_files = strict ? checks::BadFiles::Stop : checks::BadFiles::LeaveOut;
    return {interruptible(unknown_size,
                          [all, options, threads, bad_files](Watch& watch) mutable {
                              options.stop = &watch.stop;
                              checks::Parts parts = take(checks::read_parts(
                                  all, options, threads, [&](std::size_t done, std::size_t) { watch.done = done; },
                                  bad_files));
                              for (std::string& one : files::notes_on(parts.files, options, false))
                                  parts.notes.push_back(std::move(one));
                              return std::make_shared<const checks::Parts>(std::move(parts));
                          },
                          {.progress = std::move(progress)})};
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

bool same(const Model& a, const Model& b) {
    if (bytes_of(a.points()) != bytes_of(b.points()) || bytes_of(a.triangles()) != bytes_of(b.triangles()))
        return false;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
        if (a.polygon_of(i) != b.polygon_of(i)) return false;
    return true;
}

/// Parts for a check. Equal models become one, which makes parts in the same place duplicates; equal names get #2 and
/// so on.
std::shared_ptr<const checks::Parts> assemble(py::handle object) {
    if (py::isinstance<PyParts>(object)) return object.cast<const PyParts&>().parts;
    auto out = std::make_shared<checks::Parts>();
    std::multimap<std::size_t, std::uint32_t> by_content;
    std::map<std::string, std::size_t> used;
    out->files.push_back({"", {}});
    for (PyPart& part : parts_of(object, "parts")) {
        const std::size_t hash = std::hash<std::string_view>{}(bytes_of(part.model.points()));
        const auto [first, last] = by_content.equal_range(hash);
        const auto known =
            std::find_if(first, last, [&](const auto& entry) { return same(out->models[entry.second], part.model); });
        const std::uint32_t number = known != last ? known->second : static_cast<std::uint32_t>(out->models.size());
        if (known == last) {
            out->models.push_back(part.model);
            by_content.emplace(hash, number);
        }
        std::string name = part.name;
        for (std::size_t n = 2; !used.try_emplace(name, n).second; ++n) name = part.name + "#" + std::to_string(n);
        out->parts.push_back({std::move(name), number, part.placement, part.labels, 0, part.error});
    }
    if (out->parts.empty()) refuse(FaultKind::BadObject, "parts: there are none");
    return out;
}

checks::Rules rules_of(py::handle rules) {
    checks::Rules all;
    if (rules.is_none()) return all;
    std::string text, name = "rules";
    if (py::isinstance<py::list>(rules) || py::isinstance<py::tuple>(rules)) {
        for (const py::handle line : rules) text += std::string(py::str(line)) + "\n";
    } else {
        name = path_of(rules);
        text = take(files::read_bytes(name));
    }
    take(checks::add_rules(text, name, all));
    return all;
}

/// The columns in the order of the named tuple. Its first fields keep their places; null is the one that only Python
/// has, `bounds`.
std::vector<const checks::ClashColumn*> clash_fields() {
    constexpr std::string_view first[] = {"kind",   "a",      "b",     "contacts", "distance",
                                          "bounds", "extent", "depth", "volume",   "translation",
                                          "thin",   "state",  "note",  "exact",    "band"};
    std::vector<const checks::ClashColumn*> out(std::size(first));
    for (const checks::ClashColumn& column : checks::clash_columns()) {
        if (column.python == nullptr) continue;
        const auto place = std::ranges::find(first, column.python);
        if (place != std::end(first))
            out[static_cast<std::size_t>(place - std::begin(first))] = &column;
        else
            out.push_back(&column);
    }
    return out;
}

py::object object_of(const checks::ClashRun& run, const checks::Clash& clash, const checks::ClashColumn* column) {
    if (column == nullptr) {
        const std::array box = {clash.low, clash.high};
        return array_of(std::span<const Vec3>(box));
    }
    struct Cast {
        py::object operator()(checks::DoesNotApply) const { return py::none(); }
        py::object operator()(checks::NotMeasured) const { return py::none(); }
        py::object operator()(bool x) const { return py::bool_(x); }
        py::object operator()(std::uint64_t x) const { return py::int_(x); }
        py::object operator()(double x) const { return py::float_(x); }
        py::object operator()(const std::string& text) const { return text_of(text); }
        py::object operator()(const Vec3& v) const { return array_of(v); }
    };
    return std::visit(Cast{}, column->of(run, clash));
}

/// The result of a check, with all that its formats need.
struct PyClashes {
    std::shared_ptr<const checks::Parts> parts;
    checks::Clashes found;
    checks::Rules rules;
    std::vector<std::string> notes;
    checks::Ledger checked = {};

    checks::ClashRun run() const { return {*parts, found, rules.rules, "parts", checked}; }
    py::object tuple_of(const checks::Clash& clash) const {
        const checks::ClashRun all = run();
        const std::vector<const checks::ClashColumn*> columns = clash_fields();
        py::tuple values(columns.size());
        for (std::size_t i = 0; i < columns.size(); ++i) values[i] = object_of(all, clash, columns[i]);
        return clash_type(*values);
    }
    py::object at(std::size_t i) const { return tuple_of(found.clashes[i]); }
    py::list fits() const {
        py::list out;
        for (const checks::Clash& fit : found.fits) out.append(tuple_of(fit));
        return out;
    }
#ifdef GRAZE_REPORT
    std::string html() const {
        checks::Clashes copy = found;  // the page takes their triangle pairs
        return report::html(report::clash_page(*parts, copy, "graze clash", checks::to_json(run())));
    }
#endif
};

PyClashes clash(py::handle parts, py::handle rules, double clearance, double tolerance, std::optional<double> error,
                bool strict_fits, std::size_t measure, py::handle baseline, std::optional<double> worse_by,
                unsigned threads, py::object progress) {
    PyClashes out{assemble(parts), {}, rules_of(rules), {}};
    length_of(clearance, "clearance");
    length_of(tolerance, "tolerance");
    if (error) length_of(*error, "error");
    if (worse_by) length_of(*worse_by, "worse_by");
    checks::Baseline before;
    if (!baseline.is_none()) {
        const std::string path = path_of(baseline);
        before = take(checks::parse_baseline(take(files::read_bytes(path)), path));
    }
    take(checks::check_between(*out.parts, out.rules));
    take(checks::check_units(*out.parts, out.rules, 1));
    out.notes = out.parts->notes;
    for (const std::string& one : before.notes) out.notes.push_back(one);
    for (std::string& one : checks::unused(*out.parts, out.rules)) out.notes.push_back(std::move(one));
    out.found = interruptible(
        unknown_size,
        [parts = out.parts, rules = out.rules, before = std::move(before), clearance, tolerance, error, strict_fits,
         measure, worse_by, threads](Watch& watch) {
            checks::Clashes found =
                take(checks::find_clashes(*parts,
                                          {.rules = rules,
                                           .tolerance = tolerance,
                                           .error = error,
                                           .strict_fits = strict_fits,
                                           .clearance = clearance,
                                           .threads = threads,
                                           .measured = measure,
                                           .stop = &watch.stop},
                                          [&](std::size_t done, std::size_t) { watch.done = done; }));
            checks::compare(*parts, before, found,
                            {.worse_by = worse_by, .tolerance = tolerance, .clearance = clearance, .rules = rules});
            checks::find_causes(*parts, found);
            return found;
        },
        {.progress = std::move(progress)});
    out.checked = checks::ledger_of(*out.parts, out.found, out.rules,
                                    {.tolerance = tolerance, .clearance = clearance, .error = error});
    return out;
}

std::size_t index_of(py::ssize_t i, std::size_t size) {
    if (i < 0) i += static_cast<py::ssize_t>(size);
    if (i < 0 || static_cast<std::size_t>(i) >= size) throw py::index_error();
    return static_cast<std::size_t>(i);
}

py::dict labels_of(const files::PartLabels& labels) {
    py::dict out;
    for (const auto& [key, value] :
         {std::pair("id", &labels.id), std::pair("type", &labels.type), std::pair("layer", &labels.layer),
          std::pair("storey", &labels.storey), std::pair("discipline", &labels.discipline)})
        if (!value->empty()) out[key] = text_of(*value);
    return out;
}

std::string summary_of_parts(const PyParts& all) {
    std::size_t triangles = 0;
    for (const checks::Part& part : all.parts->parts) triangles += all.parts->models[part.model].triangle_count();
    std::string out =
        "<graze.Parts: " + counted(all.parts->parts.size(), "part") + ", " + counted(triangles, "triangle");
    if (!all.parts->notes.empty()) out += ", " + counted(all.parts->notes.size(), "note");
    if (!all.parts->left_out.empty()) out += ", " + counted(all.parts->left_out.size(), "file") + " left out";
    return out + ">";
}

std::string summary_of_clashes(const PyClashes& all) {
    std::map<checks::Kind, std::size_t> kinds;  // in the order of their gravity
    for (const checks::Clash& clash : all.found.clashes) ++kinds[clash.kind];
    const std::size_t count = all.found.clashes.size();
    std::string out = "<graze.Clashes: " + std::to_string(count) + (count == 1 ? " clash" : " clashes");
    const char* before = " (";
    for (const auto& [kind, number] : kinds) {
        out += before + std::to_string(number) + " " + checks::name(kind);
        before = ", ";
    }
    if (count != 0) out += ")";
    if (!all.found.fits.empty()) out += ", " + counted(all.found.fits.size(), "fit");
    if (!all.found.ignored.empty()) out += ", " + std::to_string(all.found.ignored.size()) + " ignored";
    if (!all.notes.empty()) out += ", " + counted(all.notes.size(), "note");
    return out + ">";
}

void add_parts(py::module_& m) {
    add_class<PyPart>(m, "Part", R"(A model and its placement in the world, under a name.

    Part(name, model, placement=None, *, id='', type='', layer='', storey='', discipline='', error=0.0)

`error` says how far the triangles may be from what they stand for, in the world. `clash` then takes parts that overlap
by no more than the sum of their errors for a fit.

>>> graze.Part("lid", graze.shapes.box([1, 1, 0.1]), graze.pose(translation=[0, 0, 2]), layer="covers").labels
{'layer': 'covers'}
)")
        .def(py::init([](std::string name, Model model, py::handle placement, std::string id, std::string type,
                         std::string layer, std::string storey, std::string discipline, double error) {
                 return PyPart{
                     std::move(name),
                     std::move(model),
                     Placements(placement, "placement").one(),
                     {std::move(id), std::move(type), std::move(layer), std::move(storey), std::move(discipline)},
                     length_of(error, "error")};
             }),
             py::arg("name"), py::arg("model"), py::arg("placement") = py::none(), py::kw_only(), py::arg("id") = "",
             py::arg("type") = "", py::arg("layer") = "", py::arg("storey") = "", py::arg("discipline") = "",
             py::arg("error") = 0.0)
        .def_property_readonly(
            "name", [](const PyPart& part) { return text_of(part.name); },
            "The file and the nodes that the part comes from, separated by slashes.")
        .def_property_readonly(
            "model", [](const PyPart& part) { return part.model; }, "The model, in its own frame.")
        .def_property_readonly(
            "placement", [](const PyPart& part) { return matrix_of(part.placement); },
            "Where the model is in the world, of shape (4, 4).")
        .def_property_readonly(
            "labels", [](const PyPart& part) { return labels_of(part.labels); },
            "What else the file says of the part: id, type, layer, storey, discipline.")
        .def_readonly("error", &PyPart::error, "How far the triangles may be from what they stand for, in the world.")
        .def("__repr__", [](const PyPart& part) {
            return text_of("<graze.Part '" + part.name + "': " + counted(part.model.triangle_count(), "triangle") +
                           ">");
        });
    add_class<PyParts>(m, "Parts", "The parts that `graze.read` found: a sequence of Part.")
        .def("__len__", [](const PyParts& all) { return all.parts->parts.size(); })
        .def("__getitem__",
             [](const PyParts& all, py::ssize_t i) { return all.at(index_of(i, all.parts->parts.size())); })
        .def("__repr__", &summary_of_parts)
        .def_property_readonly(
            "notes", [](const PyParts& all) { return texts_of(all.parts->notes); },
            "What was skipped, scaled or turned: a list of lines.")
        .def_property_readonly(
            "left_out",
            [](const PyParts& all) {
                py::list out;
                for (const checks::LeftOut& file : all.parts->left_out) out.append(text_of(file.reason));
                return out;
            },
            "Files that could not be read, when `strict` is False, and products of files that could not be meshed: a "
            "list of lines that say why.");
    m.def("read", &read, py::arg("paths"), py::kw_only(), py::arg("scale") = 1.0, py::arg("up") = "stated",
          py::arg("groups") = false, py::arg("deflection") = 0.0, py::arg("allow_folders") = std::vector<std::string>{},
          py::arg("strict") = true, py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(Reads a file, a folder, or a list of them into named parts with placements: a Parts.

    read(paths, *, scale=1.0, up='stated', groups=False, deflection=0.0, allow_folders=[], strict=True, threads=0,
         progress=None)

STL, OBJ, PLY and glTF are always read; COLLADA, 3MF, FBX and more where the module was built with assimp, IFC, STEP and
IGES where their readers were built. A Fault says what a build lacks for a file. Lengths are in metres with z up where the
file states its unit and its up axis (`up`: 'stated', 'keep', 'x', 'y' or 'z'). `groups` makes the objects and groups of
OBJ files parts. A file that cannot be read is a Fault, or with `strict=False` left out as long as there are
others.)");
}

}  // namespace

py::str text_of(const std::string& bytes) {
    PyObject* made = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
    if (!made) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(made);
}

py::list texts_of(const std::vector<std::string>& all) {
    py::list out;
    for (const std::string& one : all) out.append(text_of(one));
    return out;
}

std::vector<PyPart> parts_of(py::handle object, const char* what) {
    std::vector<PyPart> out;
    const auto add = [&](std::string name, py::handle given) {
        if (py::isinstance<Model>(given)) return out.push_back({std::move(name), given.cast<Model>(), {}, {}});
        if (!PyTuple_Check(given.ptr()) || PyTuple_GET_SIZE(given.ptr()) != 2 ||
            !py::isinstance<Model>(PyTuple_GET_ITEM(given.ptr(), 0)))
            throw py::type_error(std::string(what) + ": '" + name + "' is neither a Model nor a Model and a placement");
        const auto pair = py::reinterpret_borrow<py::tuple>(given);
        out.push_back({std::move(name), pair[0].cast<Model>(), Placements(pair[1], what).one(), {}});
    };
    if (py::isinstance<PyParts>(object)) {
        const auto& all = object.cast<const PyParts&>();
        for (std::size_t i = 0; i < all.parts->parts.size(); ++i) out.push_back(all.at(i));
    } else if (py::isinstance<PyPart>(object)) {
        out.push_back(object.cast<PyPart>());
    } else if (py::hasattr(object, "keys")) {  // a dictionary or another mapping
        for (const auto& [name, given] : py::dict(py::reinterpret_borrow<py::object>(object)))
            add(py::str(name), given);
    } else {
        std::size_t i = 0;
        for (const py::handle item : py::reinterpret_borrow<py::iterable>(object)) {
            if (py::isinstance<PyPart>(item))
                out.push_back(item.cast<PyPart>());
            else
                add(std::to_string(i), item);
            ++i;
        }
    }
    return out;
}

void add_clash(py::module_& m) {
    add_parts(m);
    std::string fields;
    for (const checks::ClashColumn* column : clash_fields())
        fields += std::string(column ? column->python : "bounds") + " ";
    clash_type = named_tuple(m, "Clash", fields.c_str(),
                             "Two parts that clash: a kind (duplicate, crossing, inside, fit, touching or clearance), "
                             "their names, the number of triangle pairs that meet, the distance of parts that are too "
                             "close, and the box around the place. The gravest have a depth, the volume that they "
                             "share, and a translation that moves b clear of a. `exact` is the kind of the triangles "
                             "taken at their word, and `band` how accurate those of both parts are together. The other "
                             "fields are the columns of `to_csv`; a vector is one field there.");
    auto clashes =
        add_class<PyClashes>(m, "Clashes", "What `graze.clash` found: a sequence of Clash, the gravest first.");
    clashes.def("__len__", [](const PyClashes& all) { return all.found.clashes.size(); })
        .def("__getitem__",
             [](const PyClashes& all, py::ssize_t i) { return all.at(index_of(i, all.found.clashes.size())); })
        .def("__repr__", &summary_of_clashes)
        .def_property_readonly(
            "notes", [](const PyClashes& all) { return texts_of(all.notes); },
            "What a reader should know of the files and rules: a list of lines.")
        .def_property_readonly(
            "ignored", [](const PyClashes& all) { return all.found.ignored.size(); },
            "Number of pairs that meet and that a rule allows to.")
        .def_property_readonly(
            "fits", [](const PyClashes& all) { return all.fits(); },
            "Pairs that overlap by no more than the accuracy of their triangles, unless they are clashes: a list of "
            "Clash.")
        .def_property_readonly(
            "left_out",
            [](const PyClashes& all) {
                py::list out;
                for (const checks::LeftOut& one : all.parts->left_out) out.append(text_of(one.reason));
                return out;
            },
            "Files and products that are not among the parts: `Parts.left_out`.")
        .def_property_readonly(
            "checked",
            [](const PyClashes& all) {
                return py::module_::import("json").attr("loads")(checks::json_of(all.checked).dump());
            },
            "What the answer covers: a dictionary, the member `checked` of `to_json`. Its `gaps` are lines on what "
            "could "
            "hide a clash.")
        .def_property_readonly(
            "not_checked",
            [](const PyClashes& all) {
                py::list out;
                for (const checks::Gone& gone : all.found.gone)
                    if (gone.state == checks::State::NotChecked)
                        out.append(py::make_tuple(text_of(gone.a), text_of(gone.b), text_of(gone.why)));
                return out;
            },
            "Clashes of the baseline that could not be looked at: a list of a, b and why.")
        .def(
            "to_json", [](const PyClashes& all) { return text_of(checks::to_json(all.run())); },
            "What `graze clash --json` prints. It can be a baseline.")
        .def(
            "to_csv", [](const PyClashes& all) { return text_of(checks::to_csv(all.run())); },
            "What `graze clash --csv` prints.")
        .def(
            "to_junit", [](const PyClashes& all) { return text_of(checks::to_junit(all.run())); },
            "JUnit's XML, for CI servers.");
#ifdef GRAZE_REPORT
    clashes.def(
        "to_html", [](const PyClashes& all) { return text_of(all.html()); },
        "The report as one page that needs no network.");
#endif
    m.def("clash", &clash, py::arg("parts"), py::kw_only(), py::arg("rules") = py::none(), py::arg("clearance") = 0.0,
          py::arg("tolerance") = 0.0, py::arg("error") = py::none(), py::arg("strict_fits") = false,
          py::arg("measure") = checks::ClashSettings().measured, py::arg("baseline") = py::none(),
          py::arg("worse_by") = py::none(), py::arg("threads") = 0u, py::arg("progress") = py::none(),
          R"(All pairs of parts that clash: a Clashes.

    clash(parts, *, rules=None, clearance=0.0, tolerance=0.0, error=None, strict_fits=False, measure=100, baseline=None,
          worse_by=None, threads=0, progress=None)

`parts` is what `read` returns, a list of Part, or a dictionary from names to models, or to pairs of a model and a
placement. `rules` names a file of rules, or is a list of its lines. Parts that do not meet and are no further apart than
`clearance` clash too. Crossings that are nowhere deeper than `tolerance` are marked as thin. `baseline` names the JSON or
BCF of an earlier run: each clash then has a state.

Parts that overlap by no more than the sum of their errors are a fit: their surfaces may well coincide. Fits are in
`Clashes.fits`, and with `strict_fits` among the clashes. `error` takes the place of the error of every part. The
`measure` gravest clashes have a depth, a volume and a translation.

>>> box = graze.shapes.box([1, 1, 1])
>>> found = graze.clash({"a": box, "b": (box, graze.pose(translation=[0.5, 0.5, 0.75]))})
>>> [(clash.kind, clash.a, clash.b) for clash in found]
[('crossing', 'a', 'b')]
>>> round(found[0].volume, 6), found[0].translation.round(6).tolist()
(0.0625, [0.0, 0.0, 0.25])
>>> close = {"a": box, "b": (box, graze.pose(translation=[0.999, 0, 0]))}
>>> len(graze.clash(close, error=0.001)), [fit.kind for fit in graze.clash(close, error=0.001).fits]
(0, ['fit'])
>>> len(graze.clash({"a": box, "b": box}, rules=["a b they are one"]))
0
)");
}

}  // namespace graze::python
