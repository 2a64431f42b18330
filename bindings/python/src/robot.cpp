// SPDX-License-Identifier: Apache-2.0
#include "checks/robot.hpp"

#include <pybind11/stl.h>

#include <cmath>
#include <cstring>
#include <tuple>

#include "assembly.hpp"
#include "checks/robot_formats.hpp"
#include "checks/robot_world.hpp"
#include "interrupt.hpp"
#include "parts.hpp"

namespace graze::python {

namespace {

using checks::RobotCheck;

/// The answers for some configurations, with all that their formats need.
struct PyRobotAnswers {
    std::shared_ptr<const RobotCheck> check;
    checks::RobotAnswers answers;
    std::vector<double> values;
    checks::RobotQuestion question;

    checks::RobotRun run() const {
        return {*check, answers, values, question, checks::ledger_of(*check, question.clearance)};
    }
    /// One entry per hit.
    template <class T, class F>
    py::array_t<T> column(F&& f) const {
        py::array_t<T> out(static_cast<py::ssize_t>(answers.hits.size()));
        T* to = out.mutable_data();
        for (const checks::BodyHit& hit : answers.hits) *to++ = f(hit);
        return out;
    }
    py::array_t<bool> free() const {
        py::array_t<bool> out(static_cast<py::ssize_t>(answers.size()));
        for (std::size_t i = 0; i < answers.size(); ++i) out.mutable_data()[i] = answers.of(i).empty();
        return out;
    }
};

/// The objects around the robot in a check. The copies of models keep their memory from being reused.
using World = std::vector<PyPart>;

/// A robot as its files describe it. It is immutable.
struct RobotFiles {
    std::string urdf;
    unsigned threads = 0;
    files::Robot robot;
    std::optional<files::RobotSemantics> semantics;

    std::shared_ptr<const RobotCheck> prepare(const World& world) const {
        std::vector<checks::WorldObject> objects;
        for (const PyPart& part : world)
            objects.push_back({part.name, take(checks::placed_model(part.model, part.placement, threads))});
        Result<RobotCheck> check =
            RobotCheck::make(robot, semantics ? &*semantics : nullptr, std::move(objects), threads);
        if (!check) refuse(check.fault().kind, urdf + ": " + check.fault().message);
        if (check->link_count() == 0) refuse(FaultKind::Damaged, urdf + ": no link has such a shape");
        return std::make_shared<const RobotCheck>(std::move(*check));
    }
};

class PyRobot {
public:
    PyRobot(py::handle urdf, py::handle srdf, const std::vector<std::string>& packages, bool visual, double tolerance,
            const std::vector<std::string>& allow_folders, unsigned threads) {
        if (!(tolerance > 0) || !std::isfinite(tolerance))
            refuse(FaultKind::OutOfRange, "tolerance: this is not a positive length");
        const files::RobotOptions options{.shapes = visual ? files::Shapes::Visual : files::Shapes::Collision,
                                          .search = packages,
                                          .allowed_folders = allow_folders,
                                          .tolerance = tolerance};
        const std::optional<std::string> semantics = srdf.is_none() ? std::nullopt : std::optional(path_of(srdf));
        std::tie(files_, check_) =
            interruptible(unknown_size, [path = path_of(urdf), options, semantics, threads](Watch&) {
                auto made = std::make_shared<RobotFiles>(path, threads, take(files::read_robot(path, options)));
                if (semantics) made->semantics = take(files::read_semantics(*semantics, made->robot));
                return std::pair<std::shared_ptr<const RobotFiles>, std::shared_ptr<const RobotCheck>>(
                    made, made->prepare({}));
            });
    }

    const files::Robot& robot() const { return files_->robot; }
    std::size_t dof() const { return robot().active.size(); }
    std::vector<std::string> notes() const {
        std::vector<std::string> all = robot().notes;
        const auto& semantics = files_->semantics;
        if (semantics) all.insert(all.end(), semantics->notes.begin(), semantics->notes.end());
        return all;
    }
    py::dict states() const {
        py::dict out;
        if (!files_->semantics) return out;
        for (const auto& state : files_->semantics->states) {
            if (state.fault) continue;
            const Result<std::vector<double>> values = files::joint_values(robot(), state.values);
            if (values) out[text_of(state.name)] = array_of(*values);
        }
        return out;
    }
    py::array_t<double> limits() const {
        py::array_t<double> out({static_cast<py::ssize_t>(dof()), py::ssize_t{2}});
        double* to = out.mutable_data();
        for (const std::uint32_t i : robot().active) {
            *to++ = robot().joints[i].lower;
            *to++ = robot().joints[i].upper;
        }
        return out;
    }
    py::array_t<double> random(std::size_t n, std::uint64_t seed) const {
        if (dof() > 0 && n > (std::size_t{1} << 40) / dof())
            refuse(FaultKind::TooMany, "n: these are too many configurations");
        const std::vector<double> values = checks::random_values(robot(), n, seed);
        py::array_t<double> out({static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(dof())});
        if (!values.empty()) std::memcpy(out.mutable_data(), values.data(), values.size() * sizeof(double));
        return out;
    }
    py::array_t<double> placements(py::handle q) const {
        const Packed<double> values = values_of(q);
        const auto n = static_cast<std::size_t>(values.ndim() == 2 ? values.shape(0) : 1), links = robot().links.size();
        std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(links), 4, 4};
        if (values.ndim() == 2) shape.insert(shape.begin(), values.shape(0));
        py::array_t<double> out(shape);
        double* to = out.mutable_data();
        files::RobotPose pose;
        for (std::size_t i = 0; i < n; ++i) {
            if (i % 4096 == 4095 && PyErr_CheckSignals() != 0) throw py::error_already_set();
            const Result<void> placed = files::place(robot(), {values.data() + i * dof(), dof()}, pose);
            if (!placed)
                refuse(placed.fault().kind, "configuration " + std::to_string(i) + ": " + placed.fault().message);
            for (const Pose& link : pose.world_from_link) {
                const std::array<double, 12> rows = link.rows();
                const double last[4] = {0, 0, 0, 1};
                std::memcpy(to, rows.data(), sizeof rows);
                std::memcpy(to + 12, last, sizeof last);
                to += 16;
            }
        }
        return out;
    }

    PyRobotAnswers check(py::handle q, py::handle world, const std::string& ask, double clearance, unsigned threads,
                         const py::object& progress) {
        const std::shared_ptr<const RobotCheck> check = check_for(world);
        const Packed<double> given = values_of(q);
        PyRobotAnswers out{check, {}, {}, question_of(ask, clearance)};
        out.values.assign(given.data(), given.data() + given.size());
        const auto n = static_cast<std::size_t>(given.ndim() == 2 ? given.shape(0) : 1);
        const auto ask_all = [out = std::move(out), n, threads](Watch& watch) mutable {
            const auto tell = [&](std::size_t done) { watch.done = done; };
            out.answers = take(checks::check_all(*out.check, n, out.values, out.question, threads, tell, &watch.stop));
            watch.done = n;
            return std::move(out);
        };
        return interruptible(n < 200 ? 0 : unknown_size, ask_all, {.progress = progress});
    }

private:
    static bool same(const World& a, const World& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PyPart& p, const PyPart& q) {
            return p.name == q.name && p.model.points().data() == q.model.points().data() &&
                   p.model.triangles().data() == q.model.triangles().data() && p.placement == q.placement;
        });
    }

    /// The check with this world. The last one is kept, so that asking again costs nothing.
    std::shared_ptr<const RobotCheck> check_for(py::handle world) {
        if (world.is_none()) return check_;
        World parts =
            py::isinstance<Model>(world) ? World{{"world", world.cast<Model>(), {}, {}}} : parts_of(world, "world");
        if (!with_world_ || !same(world_, parts)) {
            std::size_t size = 0;
            for (const PyPart& part : parts) size += part.model.triangle_count();
            std::shared_ptr<const RobotCheck> made =
                interruptible(size, [files = files_, parts](Watch&) { return files->prepare(parts); });
            with_world_ = std::move(made);
            world_ = std::move(parts);
        }
        return with_world_;
    }

    static checks::RobotQuestion question_of(const std::string& ask, double clearance) {
        if (!(clearance >= 0) || !std::isfinite(clearance))
            refuse(FaultKind::OutOfRange, "clearance: this is not a length");
        if (ask == "free") return {checks::RobotAsk::Free, clearance};
        if (ask == "pairs") return {checks::RobotAsk::Pairs, clearance};
        if (ask == "contacts") return {checks::RobotAsk::Contacts, clearance};
        refuse(FaultKind::BadIndex, "ask: '" + ask + "' is none of free, pairs, contacts");
    }

    Packed<double> values_of(py::handle q) const {
        const Packed<double> values = as_doubles(q, "q");
        const auto joints = static_cast<py::ssize_t>(dof());
        if ((values.ndim() != 1 && values.ndim() != 2) || values.shape(values.ndim() - 1) != joints)
            refuse(FaultKind::BadIndex, "q: the shape is " + shape_of(values) + ", not (" + std::to_string(joints) +
                                            ",) or (n, " + std::to_string(joints) + ")");
        return values;
    }

    std::shared_ptr<const RobotFiles> files_;
    std::shared_ptr<const RobotCheck> check_, with_world_;
    World world_;
};

py::list names_of_pairs(const RobotCheck& check) {
    py::list out;
    for (const RobotCheck::Pair& pair : check.pairs())
        out.append(py::make_tuple(text_of(check.bodies()[pair.a].name), text_of(check.bodies()[pair.b].name)));
    return out;
}

void add_answers(py::module_& m) {
    add_class<PyRobotAnswers>(m, "RobotAnswers", R"(What `Robot.check` found.

The hits of configuration i are those from offsets[i] to offsets[i + 1].)")
        .def("__len__", [](const PyRobotAnswers& all) { return all.answers.size(); })
        .def("__repr__",
             [](const PyRobotAnswers& all) {
                 return "<graze.RobotAnswers: " + counted(all.answers.size(), "configuration") + ", " +
                        std::string(py::str(all.free().attr("sum")())) + " free>";
             })
        .def_property_readonly(
            "ask",
            [](const PyRobotAnswers& all) {
                constexpr const char* names[] = {"free", "pairs", "contacts"};
                return names[static_cast<int>(all.question.ask)];
            },
            "What was asked: 'free', 'pairs' or 'contacts'.")
        .def_property_readonly("free", &PyRobotAnswers::free,
                               "For each configuration whether nothing collides and nothing is too close.")
        .def_property_readonly(
            "offsets",
            [](const PyRobotAnswers& all) {
                return array_of(std::vector<std::int64_t>(all.answers.first.begin(), all.answers.first.end()));
            },
            "Where the hits of each configuration begin.")
        .def_property_readonly(
            "pairs", [](const PyRobotAnswers& all) { return names_of_pairs(*all.check); },
            "The names of the two bodies of every pair that was checked.")
        .def_property_readonly(
            "pair",
            [](const PyRobotAnswers& all) {
                return all.column<std::uint32_t>([](const checks::BodyHit& hit) { return hit.pair; });
            },
            "For each hit the number of its pair in `pairs`.")
        .def_property_readonly(
            "contacts",
            [](const PyRobotAnswers& all) {
                return all.column<std::uint64_t>([](const checks::BodyHit& hit) { return hit.contacts; });
            },
            "For each hit the number of triangle pairs that meet; 0 unless contacts were asked for.")
        .def_property_readonly(
            "kind",
            [](const PyRobotAnswers& all) {
                py::list out;
                for (const checks::BodyHit& hit : all.answers.hits) out.append(name(hit.kind));
                return out;
            },
            "For each hit its kind: crossing, touching, inside or clearance. Without contacts asked for, pairs that "
            "meet "
            "are all touching.")
        .def_property_readonly(
            "distance",
            [](const PyRobotAnswers& all) {
                return all.column<double>(
                    [](const checks::BodyHit& hit) { return hit.closest ? hit.closest->distance : 0.0; });
            },
            "For each hit the distance of the two bodies; 0 for those that collide.")
        .def_property_readonly(
            "beyond", [](const PyRobotAnswers& all) { return all.answers.beyond; },
            "Number of configurations with a value beyond its limits.")
        .def(
            "to_json", [](const PyRobotAnswers& all) { return text_of(checks::to_json(all.run())); },
            "What `graze robot --json` prints.")
        .def(
            "to_csv", [](const PyRobotAnswers& all) { return text_of(checks::to_csv(all.run())); },
            "What `graze robot --csv` prints.");
}

}  // namespace

void add_robot(py::module_& m) {
    add_answers(m);
    add_class<PyRobot>(m, "Robot", R"(A robot from a URDF file, ready to be checked against itself and a world.

    Robot(urdf, srdf=None, *, packages=[], visual=False, tolerance=1e-3, allow_folders=[], threads=0)

The SRDF says which pairs of links need no check and has named states. Without it adjacent links are not checked.
`packages` are folders that are searched for meshes first. Cylinders and spheres become meshes within `tolerance` metres;
boxes are exact.)")
        .def(py::init<py::handle, py::handle, const std::vector<std::string>&, bool, double,
                      const std::vector<std::string>&, unsigned>(),
             py::arg("urdf"), py::arg("srdf") = py::none(), py::kw_only(),
             py::arg("packages") = std::vector<std::string>{}, py::arg("visual") = false, py::arg("tolerance") = 1e-3,
             py::arg("allow_folders") = std::vector<std::string>{}, py::arg("threads") = 0u)
        .def_property_readonly(
            "name", [](const PyRobot& robot) { return text_of(robot.robot().name); }, "The robot's name.")
        .def_property_readonly("dof", &PyRobot::dof, "Number of joints that take a value.")
        .def_property_readonly(
            "joints",
            [](const PyRobot& robot) {
                py::list out;
                for (const std::uint32_t i : robot.robot().active) out.append(text_of(robot.robot().joints[i].name));
                return out;
            },
            "The names of these joints, in the order of a configuration.")
        .def_property_readonly(
            "links",
            [](const PyRobot& robot) {
                py::list out;
                for (const files::Link& link : robot.robot().links) out.append(text_of(link.name));
                return out;
            },
            "The names of all links.")
        .def_property_readonly("limits", &PyRobot::limits,
                               "The least and the greatest value of each joint, of shape (dof, 2).")
        .def_property_readonly("states", &PyRobot::states,
                               "The named states of the SRDF: a dictionary of configurations.")
        .def_property_readonly(
            "notes", [](const PyRobot& robot) { return texts_of(robot.notes()); },
            "What was skipped in the files: a list of lines.")
        .def("__repr__",
             [](const PyRobot& robot) {
                 return text_of(
                     "<graze.Robot '" + robot.robot().name + "': " + counted(robot.robot().links.size(), "link") +
                     ", " + counted(robot.dof(), "joint") + " that take" + (robot.dof() == 1 ? "s" : "") + " a value>");
             })
        .def("random", &PyRobot::random, py::arg("n"), py::kw_only(), py::arg("seed") = std::uint64_t{1},
             "Random configurations within the limits, of shape (n, dof).")
        .def(
            "rest", [](const PyRobot& robot) { return array_of(checks::rest_values(robot.robot())); },
            "All joints at 0, or in the middle of limits that exclude 0.")
        .def("placements", &PyRobot::placements, py::arg("q"),
             "The placement of each link for a configuration, of shape (links, 4, 4); for many (n, links, 4, 4).")
        .def("check", &PyRobot::check, py::arg("q"), py::kw_only(), py::arg("world") = py::none(),
             py::arg("ask") = "pairs", py::arg("clearance") = 0.0, py::arg("threads") = 0u,
             py::arg("progress") = py::none(), R"(Which links collide, for one configuration or many: a RobotAnswers.

    check(q, *, world=None, ask='pairs', clearance=0.0, threads=0, progress=None)

`q` has the shape (dof,) or (n, dof). `world` is what stands around the robot, in the root link's frame: a Model, or parts
as `clash` takes them; the last one is kept, so pass the same one again. `ask` is 'free' for the quickest answer, 'pairs',
or 'contacts' for how the pairs meet. Bodies no further apart than `clearance` are too close.)");
}

}  // namespace graze::python
