// SPDX-License-Identifier: Apache-2.0
// Reads a STEP or IGES file with OpenCASCADE and sends an assembly, in metres and z up, to descriptor 3.
// read_step PATH step|iges DEFLECTION [MESH DEFLECTION]...
// With meshes, named by their numbers in the assembly, it sends only these, cut again with deflections of their own.
#include <unistd.h>

#include <IGESCAFControl_Reader.hxx>
#include <IGESData_GlobalSection.hxx>
#include <IGESData_IGESModel.hxx>
#include <Interface_CheckIterator.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Quantity_Color.hxx>
#include <STEPCAFControl_ExternFile.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <Standard_Failure.hxx>
#include <TColStd_HSequenceOfExtendedString.hxx>
#include <TColStd_SequenceOfAsciiString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS_Builder.hxx>
#include <TopoDS_Compound.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_LayerTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "files/assembly_wire.hpp"
#include "files/step_file.hpp"
#include "mesh_shape.hpp"

namespace graze::files {

namespace {

/// Ends the reading. The message follows the name of the file.
struct Refusal {
    std::string message;
};

std::string utf8(const TCollection_ExtendedString& text) {
    std::string out = TCollection_AsciiString(text, '\0').ToCString();
    std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return out;
}

std::string name_of(const TDF_Label& label) {
    Handle(TDataStd_Name) name;
    return label.FindAttribute(TDataStd_Name::GetID(), name) ? utf8(name->Get()) : "";
}

/// True for the name of an occurrence that no person gave: CAD programs number them, and OpenCASCADE names references.
bool is_made_up(const std::string& name) {
    return name.find_first_not_of("0123456789") == name.npos || name.starts_with("NAUO") || name.starts_with("=>");
}

std::string counted(std::size_t n, const char* one, const char* many) {
    return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::size_t fails(const Interface_CheckIterator& checks) {
    std::size_t count = 0;
    for (checks.Start(); checks.More(); checks.Next()) count += checks.Value()->HasFailed() ? 1 : 0;
    return count;
}

/// Length of a unit that FileUnits names, in metres; 0 when the name is not known.
double metres_of(std::string unit) {
    for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    static const std::map<std::string, double> known = {
        {"METRE", 1},       {"MILLIMETRE", 1e-3}, {"CENTIMETRE", 1e-2},  {"DECIMETRE", 0.1}, {"MICROMETRE", 1e-6},
        {"KILOMETRE", 1e3}, {"INCH", 0.0254},     {"FOOT", 0.3048},      {"YARD", 0.9144},   {"MILE", 1609.344},
        {"MIL", 2.54e-5},   {"MICRON", 1e-6},     {"MICROINCH", 2.54e-8}};
    const auto at = known.find(unit);
    return at == known.end() ? 0 : at->second;
}

class DocumentReader {
public:
    DocumentReader(const std::string& path, double deflection)
        : stem_(std::filesystem::path(path).stem().string()), deflection_(deflection) {
        XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document_);
        shapes_ = XCAFDoc_DocumentTool::ShapeTool(document_->Main());
        colours_ = XCAFDoc_DocumentTool::ColorTool(document_->Main());
        layers_ = XCAFDoc_DocumentTool::LayerTool(document_->Main());
    }

    /// `again` has the meshes to cut again; when it is empty, all of the file is read.
    Assembly read(const std::string& path, bool iges, std::span<const Remesh> again) {
        if (iges)
            read_iges(path);
        else
            read_step(path);
        TDF_LabelSequence roots;
        shapes_->GetFreeShapes(roots);
        only_list_ = !again.empty();
        if (iges) {
            bodies(roots);
        } else {
            for (int i = 1; i <= roots.Length(); ++i) walk(roots.Value(i), roots.Value(i), TopLoc_Location(), "", 0);
        }
        if (only_list_) {
            for (const Remesh& one : again) out_.meshes.push_back(mesh_again(one));
            return std::move(out_);
        }
        if (out_.parts.empty()) throw Refusal{": the file has no faces that can be meshed"};
        say_deflection();
        return std::move(out_);
    }

private:
    static constexpr std::uint32_t none = 0xffffffff;

    struct Listed {
        TopoDS_Shape shape;
        std::string name;
        std::optional<Colour> colour;
    };
    /// The mesh of a shape, and the number of its faces that are not in there.
    struct Meshed {
        std::uint32_t mesh = none;  ///< `none` when it has no triangles
        std::size_t failed_faces = 0;
    };

    void read_step(const std::string& path) {
        STEPCAFControl_Reader reader;
        if (reader.ReadFile(path.c_str()) != IFSelect_RetDone) throw Refusal{": not a STEP file, or a damaged one"};
        note_fails(reader.Reader().WS()->ModelCheckList(true), "entity of the file is faulty",
                   "entities of the file are faulty");
        TColStd_SequenceOfAsciiString lengths, angles, solid_angles;
        reader.ChangeReader().FileUnits(lengths, angles, solid_angles);
        if (lengths.Length() > 0) out_.conventions.metres = metres_of(lengths.Value(1).ToCString());
        if (!reader.Transfer(document_)) throw Refusal{": OpenCASCADE finds no shape in it"};
        if (const std::size_t count = fails(reader.Reader().WS()->TransferReader()->LastCheckList()); count > 0)
            out_.unread.push_back({stem_, "", counted(count, "entity", "entities") + " could not be converted"});
        using NamedFiles = NCollection_DataMap<TCollection_AsciiString, Handle(STEPCAFControl_ExternFile)>;
        for (NamedFiles::Iterator at(reader.ExternFiles()); at.More() && !only_list_; at.Next())
            if (at.Value().IsNull() || !at.Value()->GetTransferStatus())
                out_.unread.push_back(
                    {at.Key().ToCString(), "", "this file, which the assembly names, is missing or cannot be read"});
        out_.conventions.format = "STEP";
        out_.conventions.up = 'z';
    }

    void read_iges(const std::string& path) {
        IGESCAFControl_Reader reader;
        if (reader.ReadFile(path.c_str()) != IFSelect_RetDone) throw Refusal{": not an IGES file, or a damaged one"};
        note_fails(reader.WS()->ModelCheckList(true), "entity of the file is faulty",
                   "entities of the file are faulty");
        const Handle(IGESData_IGESModel) model = Handle(IGESData_IGESModel)::DownCast(reader.Model());
        if (!model.IsNull()) out_.conventions.metres = model->GlobalSection().UnitValue() * 1e-3;
        if (!reader.Transfer(document_)) throw Refusal{": OpenCASCADE finds no shape in it"};
        out_.conventions.format = "IGES";
        out_.conventions.up = 'z';
    }

    void note_fails(const Interface_CheckIterator& checks, const char* one, const char* many) {
        if (const std::size_t count = fails(checks); count > 0) out_.notes.push_back(counted(count, one, many));
    }

    /// Adds a part per solid, and one of all other faces. IGES files have no products, and many have no solids.
    void bodies(const TDF_LabelSequence& roots) {
        TopoDS_Compound loose;
        const TopoDS_Builder builder;
        builder.MakeCompound(loose);
        std::size_t solids = 0;
        bool any = false;
        for (int i = 1; i <= roots.Length(); ++i) {
            const TopoDS_Shape shape = shapes_->GetShape(roots.Value(i));
            for (TopExp_Explorer at(shape, TopAbs_SOLID); at.More(); at.Next())
                body(at.Current(), "solid " + std::to_string(++solids));
            for (TopExp_Explorer at(shape, TopAbs_FACE, TopAbs_SOLID); at.More(); at.Next(), any = true)
                builder.Add(loose, at.Current());
        }
        if (any) body(loose, solids == 0 ? stem_ : "surfaces");
    }
    void body(const TopoDS_Shape& shape, const std::string& name) {
        const Meshed made = mesh_of(shape, name, colour_in(shape));
        const std::string path = name == stem_ ? name : stem_ + "/" + name;
        say_unread(path, shape, made);
        if (made.mesh != none) out_.parts.push_back({name, path, made.mesh, Affine()});
    }

    /// Lists what a check of the product's triangles would not look at. A product of curves takes up no space.
    void say_unread(const std::string& path, const TopoDS_Shape& shape, const Meshed& made) {
        if (only_list_) return;
        if (made.failed_faces > 0)
            out_.unread.push_back({path, "", counted(made.failed_faces, "face", "faces") + " could not be meshed"});
        else if (made.mesh == none && !TopExp_Explorer(shape, TopAbs_VERTEX).More())
            out_.unread.push_back({path, "", "it has no shape, or its shape is in a file that is missing"});
    }

    /// Adds the parts of a product. `occurrence` is the label that places it; for roots it is the product's own.
    void walk(const TDF_Label& occurrence, const TDF_Label& product, const TopLoc_Location& place,
              const std::string& above, int depth) {
        if (depth > 1000) throw Refusal{": assemblies are nested deeper than 1000"};
        std::string name = name_of(occurrence);
        if (occurrence == product || is_made_up(name)) name = name_of(product);
        if (name.empty()) name = stem_;
        const std::string path = above.empty() ? name : above + "/" + name;
        if (shapes_->IsAssembly(product)) {
            TDF_LabelSequence components;
            shapes_->GetComponents(product, components);
            for (int i = 1; i <= components.Length(); ++i) {
                TDF_Label referred;
                if (shapes_->GetReferredShape(components.Value(i), referred))
                    walk(components.Value(i), referred, place * shapes_->GetLocation(components.Value(i)), path,
                         depth + 1);
            }
            return;
        }
        const Meshed made = mesh_of_product(occurrence, product);
        say_unread(path, shapes_->GetShape(product), made);
        if (made.mesh == none) return;
        PartLabels labels;
        labels.type = name_of(product);
        labels.layer = layer_of(occurrence, product);
        out_.parts.push_back({name, path, made.mesh, affine(place), labels});
    }

    static Affine affine(const TopLoc_Location& place) {
        const gp_Trsf t = place.Transformation();
        Mat3 linear;
        Vec3 translation;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) linear.row[static_cast<std::size_t>(r)][c] = t.Value(r + 1, c + 1);
            translation[r] = t.Value(r + 1, 4) * 1e-3;
        }
        const Result<Affine> out = Affine::from_matrix(linear, translation);
        if (!out) throw Refusal{": a placement is out of range: " + out.fault().message};
        return *out;
    }

    std::optional<Colour> colour_of(const TDF_Label& occurrence, const TDF_Label& product) const {
        Quantity_Color colour;
        for (const TDF_Label& label : {occurrence, product})
            for (const XCAFDoc_ColorType type : {XCAFDoc_ColorSurf, XCAFDoc_ColorGen})
                if (colours_->GetColor(label, type, colour)) return srgb(colour);
        return colour_in(shapes_->GetShape(product));
    }
    /// The colour of the first solid, shell or face that has one: some programs do not colour the product.
    std::optional<Colour> colour_in(const TopoDS_Shape& shape) const {
        Quantity_Color colour;
        for (const TopAbs_ShapeEnum kind : {TopAbs_SOLID, TopAbs_SHELL, TopAbs_FACE})
            if (const TopExp_Explorer first(shape, kind); first.More())
                for (const XCAFDoc_ColorType type : {XCAFDoc_ColorSurf, XCAFDoc_ColorGen})
                    if (colours_->GetColor(first.Current(), type, colour)) return srgb(colour);
        return std::nullopt;
    }
    static Colour srgb(const Quantity_Color& colour) {
        double r = 0, g = 0, b = 0;
        colour.Values(r, g, b, Quantity_TOC_sRGB);
        return {static_cast<float>(r), static_cast<float>(g), static_cast<float>(b), 1};
    }

    std::string layer_of(const TDF_Label& occurrence, const TDF_Label& product) const {
        for (const TDF_Label& label : {occurrence, product}) {
            Handle(TColStd_HSequenceOfExtendedString) names;
            if (layers_->GetLayers(label, names) && !names->IsEmpty()) return utf8(names->First());
        }
        return "";
    }

    /// The mesh of a product, made once per colour.
    Meshed mesh_of_product(const TDF_Label& occurrence, const TDF_Label& product) {
        const std::optional<Colour> colour = colour_of(occurrence, product);
        TCollection_AsciiString entry;
        TDF_Tool::Entry(product, entry);
        const auto [at, fresh] = known_.emplace(std::pair(std::string(entry.ToCString()), colour), Meshed());
        if (fresh) at->second = mesh_of(shapes_->GetShape(product), name_of(product), colour);
        return at->second;
    }

    /// Adds the mesh of a shape. A shape without triangles gets an empty one, so that meshes have the same numbers at
    /// any deflection.
    Meshed mesh_of(const TopoDS_Shape& shape, const std::string& name, const std::optional<Colour>& colour) {
        if (only_list_) {
            listed_.push_back({shape, name, colour});
            return {};
        }
        ShapeMesh made = mesh_shape(shape, deflection_);
        const bool empty = made.mesh.corners.empty();
        if (!empty) {
            least_ = most_ == 0 ? made.deflection : std::min(least_, made.deflection);
            most_ = std::max(most_, made.deflection);
        }
        made.mesh.name = name;
        made.mesh.colour = colour;
        out_.meshes.push_back(std::move(made.mesh));
        return {empty ? none : static_cast<std::uint32_t>(out_.meshes.size() - 1), made.failed_faces};
    }

    Mesh mesh_again(const Remesh& one) const {
        if (one.mesh >= listed_.size()) throw Refusal{": the file has changed since it was read"};
        const Listed& from = listed_[one.mesh];
        ShapeMesh made = mesh_shape(from.shape, one.deflection);
        // Without all of its faces the finer mesh is not the same thing.
        if (made.failed_faces > 0) return {};
        made.mesh.name = from.name;
        made.mesh.colour = from.colour;
        made.mesh.faces = simple_faces(from.shape);
        return std::move(made.mesh);
    }

    void say_deflection() {
        const auto millimetres = [](double metres) {
            std::array<char, 32> text;
            return std::string(text.data(),
                               static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.3g", metres * 1e3)));
        };
        const std::string least = millimetres(least_), most = millimetres(most_);
        out_.notes.push_back("curved faces are meshed within " + (least == most ? least : least + " to " + most) +
                             " mm (--deflection sets it)");
    }

    std::string stem_;
    double deflection_;
    Handle(TDocStd_Document) document_;
    Handle(XCAFDoc_ShapeTool) shapes_;
    Handle(XCAFDoc_ColorTool) colours_;
    Handle(XCAFDoc_LayerTool) layers_;
    Assembly out_;
    std::map<std::pair<std::string, std::optional<Colour>>, Meshed> known_;
    bool only_list_ = false;      ///< shapes are listed instead of meshed
    std::vector<Listed> listed_;  ///< one per mesh
    double least_ = 0, most_ = 0;
};

Result<Assembly> read(const std::string& path, bool iges, double deflection, std::span<const Remesh> again) {
    try {
        Message::DefaultMessenger()->ChangePrinters().Clear();
        return DocumentReader(path, deflection).read(path, iges, again);
    } catch (const Refusal& refusal) {
        return Fault{FaultKind::Damaged, refusal.message};
    } catch (const Standard_Failure& failure) {
        return Fault{FaultKind::Damaged, std::string(": OpenCASCADE cannot read it: ") + failure.GetMessageString()};
    } catch (const std::exception& failure) {
        return Fault{FaultKind::Damaged, std::string(": it cannot be read: ") + failure.what()};
    }
}

}  // namespace

}  // namespace graze::files

int main(int count, char** words) {
    if (count < 4 || count % 2 != 0) return 2;
    std::vector<graze::files::Remesh> again;
    for (int i = 4; i < count; i += 2)
        again.push_back(
            {static_cast<std::uint32_t>(std::strtoul(words[i], nullptr, 10)), std::strtod(words[i + 1], nullptr)});
    const auto put = [](const void* bytes, std::size_t size) {
        for (const char* from = static_cast<const char*>(bytes); size > 0;) {
            const ssize_t n = write(3, from, size);
            if (n < 0) return false;
            from += n;
            size -= static_cast<std::size_t>(n);
        }
        return true;
    };
    const bool sent = graze::files::send(
        graze::files::read(words[1], std::string_view(words[2]) == "iges", std::strtod(words[3], nullptr), again), put);
    // Without the destructors of OpenCASCADE, which take their time.
    _exit(sent ? 0 : 1);
}
