(* An engine in OCaml that shares no code with Lozenge: check and version.

     tests/engines/ocaml/build tests/engines/ocaml/engine.ml target/ocaml-engine
     lozenge conform --engine target/ocaml-engine *)

open Lozenge_client

(* Def. 1.2: everything is below the unit; else only the same dimension. *)
let dim_le result operand = operand = Unit || result = operand

let content row = row.lead @ row.trail

(* Def. 2.2: units at the marker, up to this rank. *)
let expand row rank = row.lead @ List.init (rank - List.length (content row)) (fun _ -> Unit) @ row.trail

(* Def. 2.3: the flanks fit, each on its own side, and every axis is below the operand's. *)
let row_le result operand =
  List.compare_lengths result.lead operand.lead >= 0
  && List.compare_lengths result.trail operand.trail >= 0
  && List.for_all2 dim_le (content result) (expand operand (List.length (content result)))

(* Def. 2.9: the same content, wherever the markers are. *)
let row_eq left right = content left = content right

(* Def. 3.2: a row value goes inside the flanks of its host. *)
let apply values term =
  let value name = List.assoc name values in
  let dim = function
    | Var name -> (match value name with Dim dim -> dim | Row _ -> assert false)
    | (Unit | Atom _) as dim -> dim
  in
  match term with
  | Dim it -> Dim (dim it)
  | Row { lead; var; trail } ->
    let lead, trail = (List.map dim lead, List.map dim trail) in
    (match Option.map value var with
     | Some (Row inner) -> Row { inner with lead = lead @ inner.lead; trail = inner.trail @ trail }
     | Some (Dim _) -> assert false
     | None -> Row { lead; var; trail })

(* Def. 3.4. *)
let holds values { relation; left; right } =
  match (relation, apply values left, apply values right) with
  | Eq, Dim s, Dim t -> s = t
  | Eq, Row s, Row t -> row_eq s t
  | Le, Dim s, Dim t -> dim_le s t
  | Le, Row s, Row t -> row_le s t
  | _, Dim _, Row _ | _, Row _, Dim _ -> assert false

let check fields =
  only [ "id"; "op"; "constraints"; "values" ] fields;
  let sorts = new_sorts () in
  let constraints = read_constraints sorts fields in
  let values = read_values sorts fields in
  let mentioned = List.concat_map (fun { left; right; _ } -> variables left @ variables right) constraints in
  (match List.find_opt (fun name -> not (List.mem_assoc name values)) mentioned with
   | Some name -> refuse ~at:"/values" "parse" "no value for %s" name
   | None -> ());
  let number i constr = if holds values constr then [] else [ Json.Number (string_of_int i) ] in
  match List.concat (List.mapi number constraints) with
  | [] -> [ ("verdict", Json.String "holds") ]
  | which -> [ ("verdict", String "violated"); ("which", List which) ]

let version fields =
  only [ "id"; "op" ] fields;
  let name, number = ("lozenge-ocaml", "1") in
  [ ("verdict", Json.String "version"); ("name", String name); ("version", String number); ("wire", Number "1") ]

let () = serve [ ("check", check); ("version", version) ]
