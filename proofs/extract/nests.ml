(* Section 7 on JSON: ids and sizes are numbers, symbols are names.

   atom      {"proj":0}, {"fix":0} or {"external":"k"}
   equation  {"eq":[atom,atom]} or {"iter":atom}
   axes      [[id,size],…]
   label     {"iter":0}, the number of a loop; or {"fix":0}, {"external":"k"}
   axis      {"at":atom,"dim":dimension}; rows of axes have lead and trail *)

open Extracted
open Wire
open Ops

(* Eq is called Eq0 in OCaml, where another type has that name already. *)

(* Symbols have names of their own; they are numbered as variables are. *)
let symbol names = function
  | Json.String text -> number_of (var_named names ~fresh:false Dim text)
  | _ -> fail "expected the name of a symbol"

let read_index names = function
  | "fix", json -> Fix (under "fix" index json)
  | "external", json -> Ext (under "external" (symbol names) json)
  | key, _ -> fail "unknown field %s" key

let one_field json = match fields json with [ it ] -> it | _ -> fail "expected an object with one field"

let read_atom names json =
  match one_field json with
  | "proj", json -> Proj (under "proj" index json)
  | it -> Sol (read_index names it)

let read_equation names json =
  match one_field json with
  | "eq", Json.List [ q; r ] ->
    let q = under "eq" (read_atom names) q in
    Eq0 (q, under "eq" (read_atom names) r)
  | "iter", json -> Iter (under "iter" (read_atom names) json)
  | _ -> fail "expected an equation"

let several read names json = numbered (read names) (list json)

let write_index names out = function
  | Fix c -> Printf.bprintf out "{\"fix\":%d}" (int_of_nat c)
  | Ext s -> Buffer.add_string out "{\"external\":"; write_var names out (DV s); Buffer.add_char out '}'

let write_atom names out = function
  | Proj p -> Printf.bprintf out "{\"proj\":%d}" (int_of_nat p)
  | Sol i -> write_index names out i

let write_equation names out = function
  | Eq0 (q, r) ->
    Buffer.add_string out "{\"eq\":";
    Json.write_list out (write_atom names out) [ q; r ];
    Buffer.add_char out '}'
  | Iter q -> Buffer.add_string out "{\"iter\":"; write_atom names out q; Buffer.add_char out '}'

let write_label names out = function
  | Iterator j -> Printf.bprintf out "{\"iter\":%d}" (int_of_nat j)
  | Given i -> write_index names out i

let read_label names json =
  match one_field json with
  | "iter", json -> Iterator (under "iter" index json)
  | it -> Given (read_index names it)

let flag = only_read (fun _ -> function Json.Bool b -> b | _ -> fail "expected true or false")
let nats = kind (several nat.read) (fun names out -> Json.write_list out (nat.write names out))
let labels = only_read (several read_label)

let equations =
  kind (several read_equation) (fun names out -> Json.write_list out (write_equation names out))

let axes =
  let read _ = function
    | Json.List [ id; size ] ->
      let id = index id in
      (id, index size)
    | _ -> fail "expected an id and a size"
  in
  only_read (several read)

(* Why a pass stopped. *)
let write_failure names out failure =
  let conflict word = Printf.bprintf out "{\"conflict\":\"%s\"" word in
  let indices i j = Buffer.add_string out ",\"indices\":"; Json.write_list out (write_index names out) [ i; j ] in
  (match failure with
   | Malformed -> conflict "malformed"
   | SizeClash (p, q) -> conflict "sizes"; Printf.bprintf out ",\"axes\":[%d,%d]" (int_of_nat p) (int_of_nat q)
   | PinClash (p, i, j) -> conflict "pins"; Printf.bprintf out ",\"axis\":%d" (int_of_nat p); indices i j
   | IndexClash (i, j) -> conflict "given"; indices i j);
  Buffer.add_char out '}'

let result write =
  only_write (fun names out -> function Done x -> write names out x | Failed f -> write_failure names out f)

let write_nest names out { factors; labels } =
  Buffer.add_string out "{\"loops\":";
  nats.write names out factors;
  Buffer.add_string out ",\"labels\":";
  Json.write_list out (fun (_, label) -> write_label names out label) labels;
  Buffer.add_char out '}'

let write_class names out { leader; class_pin; class_iterated } =
  Printf.bprintf out "{\"leader\":%d,\"pin\":" (int_of_nat leader);
  (match class_pin with None -> Buffer.add_string out "null" | Some i -> write_index names out i);
  Printf.bprintf out ",\"iterate\":%b}" class_iterated

let write_classes names out = Json.write_list out (write_class names out)

let read_axis names json =
  let it = fields json in
  only [ "at"; "dim" ] it;
  let of_axis = under "at" (read_atom names) (field it "at") in
  { of_axis; dim_of = under "dim" (dim.read names) (field it "dim") }

let read_axes_row names it =
  only [ "lead"; "trail" ] it;
  let lead_axes = several read_axis names (field it "lead") in
  { lead_axes; trail_axes = several read_axis names (field it "trail") }

(* A constraint between axes or between rows of axes; or one terminal axis. *)
let op_constr =
  let read names json =
    match one_field json with
    | "terminal", json -> Terminal (read_axis names json)
    | (("eq" | "le") as relation), Json.List [ Json.Object left; Json.Object right ] when List.mem_assoc "lead" left ->
      let left = read_axes_row names left in
      let right = read_axes_row names right in
      if relation = "eq" then RowEq (left, right) else RowLe (left, right)
    | (("eq" | "le") as relation), Json.List [ left; right ] ->
      let left = read_axis names left in
      let right = read_axis names right in
      if relation = "eq" then AxisEq (left, right) else AxisLe (left, right)
    | _ -> fail "expected a constraint of an operation"
  in
  only_read read

let table =
  let fn name args result f = (name, Op (args, result, f)) in
  [
    (* Projection.v, Classes.v *)
    fn "nest" (axes @-> equations @-> Nil) (result write_nest) project;
    fn "classes" (axes @-> equations @-> Nil) (result write_classes) classes;
    (* Elaboration.v *)
    fn "elaborate" (op_constr @-> Nil) equations elaborate;
    (* IndexMap.v, Assignment.v *)
    fn "reductions" (nats @-> labels @-> Nil) nats reductions;
    fn "injectiveb" (nats @-> labels @-> Nil) bool injectiveb;
    fn "surjectiveb" (labels @-> nats @-> Nil) bool surjectiveb;
    fn "needs_accumulation" (flag @-> nats @-> labels @-> Nil) bool needs_accumulation;
    fn "needs_init" (flag @-> nats @-> labels @-> nats @-> Nil) bool needs_init;
  ]
