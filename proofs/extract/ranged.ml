(* Ranged dimensions (D4 to D6, D8 to D10) on JSON: a script of operations in one context.

   script     {"variables":2,"steps":[step,…]}; the variables are 0, 1, …
   step       {"unify":[dim,dim]}, {"unify_shapes":[shape,shape]}, {"matmul":[shape,shape]},
              {"matmul_batched":[shape,shape]}, {"broadcast":[shape,…]}, {"concat":[axis,shape,…]},
              {"stack":[axis,shape,…]}, {"reshape":[shape,[dim or -1,…]]}, {"elements":shape},
              {"bytes":[size,shape]} or {"verify":[[size,…],shape]}
   dim        3, {"var":0}, {"named":"n","lo":1,"hi":null}, "dynamic" or "broadcast"

   The answer has what each step gives, {"ok":…} or {"error":[…]}, and the class of every variable in the end.
   One verifier sees all that is verified. Numbers are N in Coq; those of elements are written as texts. *)

open Extracted_ranged
open Wire

(* Numbers, by the arithmetic of Coq. *)

let rec nat_of n = if n = 0 then O else S (nat_of (n - 1))
let rec int_of = function O -> 0 | S n -> 1 + int_of n

let small =
  let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2)) in
  fun n -> if n = 0 then N0 else Npos (positive n)

let ten = small 10

let read_number = function
  | Json.Number text when is_whole text ->
    let digit n c = N.add (N.mul ten n) (small (Char.code c - Char.code '0')) in
    String.fold_left digit N0 text
  | _ -> fail "expected a number from 0"

let show_number n =
  let rec value = function XH -> 1 | XO p -> 2 * value p | XI p -> (2 * value p) + 1 in
  let digit = function N0 -> "0" | Npos p -> string_of_int (value p) in
  let rec digits n after =
    let rest, last = N.div_eucl n ten in
    let after = digit last :: after in
    if rest = N0 then after else digits rest after
  in
  String.concat "" (digits n [])

let read_place json = int_of_string (show_number (read_number json)) |> nat_of

(* Texts, sign by sign. *)

let read_text = function
  | Json.String text ->
    let ascii c =
      let bit i = (Char.code c lsr i) land 1 = 1 in
      Ascii (bit 0, bit 1, bit 2, bit 3, bit 4, bit 5, bit 6, bit 7)
    in
    String.fold_right (fun c rest -> String (ascii c, rest)) text EmptyString
  | _ -> fail "expected a text"

let write_text out text =
  let chars = Buffer.create 8 in
  let rec go = function
    | EmptyString -> ()
    | String (Ascii (a, b, c, d, e, f, g, h), rest) ->
      let code = List.fold_right (fun bit code -> (2 * code) + Bool.to_int bit) [ a; b; c; d; e; f; g; h ] 0 in
      Buffer.add_char chars (Char.chr code);
      go rest
  in
  go text;
  Json.write_string out (Buffer.contents chars)

(* Dimensions and shapes *)

let read_dim = function
  | Json.Number _ as n -> Literal (read_number n)
  | Json.String "dynamic" -> Dynamic
  | Json.String "broadcast" -> Broadcast
  | Json.Object [ ("var", id) ] -> Var (read_place id)
  | Json.Object it ->
    only [ "named"; "lo"; "hi" ] it;
    let r_hi = match field it "hi" with Json.Null -> None | hi -> Some (read_number hi) in
    Named (read_text (field it "named"), { r_lo = read_number (field it "lo"); r_hi })
  | _ -> fail "expected a dimension"

let read_shape json = numbered read_dim (list json)

let write_number out n = Buffer.add_string out (show_number n)
let write_place out n = Buffer.add_string out (string_of_int (int_of n))

let write_option write out = function
  | None -> Buffer.add_string out "null"
  | Some x -> write out x

let write_dim out = function
  | Literal v -> write_number out v
  | Var a -> Printf.bprintf out "{\"var\":%d}" (int_of a)
  | Named (name, { r_lo; r_hi }) ->
    Buffer.add_string out "{\"named\":";
    write_text out name;
    Printf.bprintf out ",\"lo\":%s,\"hi\":" (show_number r_lo);
    write_option write_number out r_hi;
    Buffer.add_char out '}'
  | Dynamic -> Buffer.add_string out "\"dynamic\""
  | Broadcast -> Buffer.add_string out "\"broadcast\""

let write_shape out shape = Json.write_list out (write_dim out) shape

(* [first,second] *)
let write_pair write write' out (x, y) =
  Buffer.add_char out '[';
  write out x;
  Buffer.add_char out ',';
  write' out y;
  Buffer.add_char out ']'

let write_range out { r_lo; r_hi } = write_pair write_number (write_option write_number) out (r_lo, r_hi)

let write_bounds out { b_min; b_max } =
  let text out n = Json.write_string out (show_number n) in
  write_pair text (write_option text) out (b_min, b_max)

let write_reshaped out { re_shape; re_obligation } =
  let write_obligation out { o_input; o_output } = write_pair write_shape write_shape out (o_input, o_output) in
  write_pair write_shape (write_option write_obligation) out (re_shape, re_obligation)

(* What is wrong, in one word and what it is about. *)
let write_problem out problem =
  let say word parts =
    Buffer.add_char out '[';
    Json.write_string out word;
    List.iter (fun part -> Buffer.add_char out ','; part ()) parts;
    Buffer.add_char out ']'
  in
  let number n () = write_number out n and place n () = write_place out n in
  let text t () = write_text out t and range r () = write_range out r in
  match problem with
  | Literal_mismatch (a, b) -> say "literals" [ number a; number b ]
  | Out_of_range (n, v, r) -> say "out of range" [ text n; number v; range r ]
  | Range_empty (n, r, s) -> say "ranges" [ text n; range r; range s ]
  | Name_mismatch (n, m) -> say "names" [ text n; text m ]
  | Foreign_variable a -> say "foreign" [ place a ]
  | Rank_mismatch (a, b) -> say "ranks" [ place a; place b ]
  | Rank_needed found -> say "rank" [ place found ]
  | No_operands -> say "no operands" []
  | No_axis (i, rank) -> say "axis" [ place i; place rank ]
  | Rank_limit rank -> say "rank limit" [ place rank ]
  | Too_large -> say "too large" []
  | Second_inferred -> say "second -1" []
  | Elements -> say "elements" []
  | Actual_size (n, _) -> say "actual" [ number n ]

(* concat and class are called concat0 and class0 in OCaml, where these words are taken. *)

(* A script. What a step does to context and verifier, and what it writes. *)

type state = { context : context; verifier : verifier }

let answer out write = function
  | Ok x -> Buffer.add_string out "{\"ok\":"; write out x; Buffer.add_char out '}'
  | Err problem -> Buffer.add_string out "{\"error\":"; write_problem out problem; Buffer.add_char out '}'

let pair read read' = function
  | Json.List [ x; y ] -> let x = under "0" read x in (x, under "1" read' y)
  | _ -> fail "expected a list of two"

(* [axis,shape,…] *)
let along json =
  match list json with
  | axis :: shapes -> let axis = under "0" read_place axis in (axis, List.map read_shape shapes)
  | [] -> fail "expected an axis and shapes"

let read_target = function Json.Number "-1" -> Infer | json -> Given (read_dim json)

let step out state json =
  let inferred write (context, result) = answer out write result; { state with context } in
  let of_two f json = let s, t = pair read_shape read_shape json in inferred write_shape (f state.context s t) in
  let of_several f json = let axis, shapes = along json in inferred write_shape (f state.context shapes axis) in
  match fields json with
  | [ ("unify", json) ] ->
    let x, y = pair read_dim read_dim json in
    inferred write_dim (unify state.context x y)
  | [ ("unify_shapes", json) ] -> of_two unify_shapes json
  | [ ("matmul", json) ] -> of_two matmul json
  | [ ("matmul_batched", json) ] -> of_two matmul_batched json
  | [ ("broadcast", json) ] -> inferred write_shape (broadcast state.context (numbered read_shape (list json)))
  | [ ("concat", json) ] -> of_several concat0 json
  | [ ("stack", json) ] -> of_several stack json
  | [ ("reshape", json) ] ->
    let shape, target = pair read_shape (fun json -> numbered read_target (list json)) json in
    answer out write_reshaped (reshape state.context shape target);
    state
  | [ ("elements", json) ] -> answer out write_bounds (Ok (elements (read_shape json))); state
  | [ ("bytes", json) ] ->
    let element, shape = pair read_number read_shape json in
    answer out write_bounds (Ok (bytes shape element));
    state
  | [ ("verify", json) ] ->
    let sizes, shape = pair (fun json -> numbered read_number (list json)) read_shape json in
    let verifier, result = verify state.verifier sizes shape in
    answer out (fun out () -> Buffer.add_string out "null") result;
    { state with verifier }
  | _ -> fail "expected a step"

let write_classes out context =
  let class_of i _ = class0 context (nat_of i) in
  Json.write_list out (write_option (write_pair write_place (write_option write_dim)) out) (List.mapi class_of context)

type script = { variables : int; steps : Json.t list }

let script =
  let read _ json =
    let it = fields json in
    only [ "variables"; "steps" ] it;
    { variables = int_of (under "variables" read_place (field it "variables")); steps = list (field it "steps") }
  in
  Ops.only_read read

let ran =
  let write _ out { variables; steps } =
    Buffer.add_string out "{\"steps\":[";
    let start = { context = List.init variables (fun _ -> Root None); verifier = [] } in
    let next (i, state) json =
      if i > 0 then Buffer.add_char out ',';
      (i + 1, under (string_of_int i) (step out state) json)
    in
    let _, { context; _ } = List.fold_left next (0, start) steps in
    Buffer.add_string out "],\"classes\":";
    write_classes out context;
    Buffer.add_char out '}'
  in
  Ops.only_write write

let table = [ ("ranged", Ops.(Op (script @-> Nil, ran, Fun.id))) ]
