(* Tests of lozenge_client.ml. The arguments are the command of the engine that is asked: test lozenge oracle *)

open Lozenge_client

let count = ref 0

let same what shown expected =
  incr count;
  if shown <> expected then (Printf.eprintf "%s: %s, expected %s\n" what shown expected; exit 1)

(* Kind and place of a refusal, or what came instead. *)
let refusal what =
  match what () with
  | text -> text
  | exception Refused { kind; at; _ } -> kind ^ " " ^ at

let ended what = match what () with _ -> "answered" | exception Ended why -> why
let rewritten text = refusal (fun () -> Json.to_string (Json.parse text))

let json () =
  let kept =
    [ "null"; "true"; "[]"; "{}"; "-0.5e+3"; "18446744073709551616"; {|{"a":[1,{"b":"⋄"}],"a":2}|}; {|"\"\\\u0001"|} ]
  in
  List.iter (fun text -> same text (rewritten text) text) kept;
  same "escapes" (rewritten {| "\u00e9\ud83d\ude00\n\/" |}) {|"é😀\u000a/"|};
  let refused =
    [ ""; " "; "nul"; "01"; "1."; "+1"; "[1,]"; "[1"; "{\"a\"}"; "{,}"; "\"a"; "\"\\x\""; "\"\\ud800\""; "\"\\ud800\\u0041\"";
      "\"\n\""; "1 2"; "\"\xff\""; "\"\xc0\x80\""; "\"\xed\xa0\x80\""; "\"\xf4\x90\x80\x80\""; "\"\xe2\x8b\""; "\000"; "\"\\u12g4\"" ]
  in
  List.iter (fun text -> same (String.escaped text) (rewritten text) "parse ") refused;
  same "depth" (rewritten (String.make 1000 '[')) "limit "

let handlers =
  let echo fields = [ ("verdict", Json.String "echo"); ("given", field fields "given") ] in
  let deep _ = let rec go n = 1 + go (n + 1) in [ ("n", Json.Number (string_of_int (go 0))) ] in
  [ ("echo", echo); ("deep", deep) ]

let answers () =
  let of_line line =
    let fields = answer handlers line in
    Json.to_string (Object (List.filter (fun (key, _) -> key <> "message") fields))
  in
  let error id kind at = Printf.sprintf {|{%s"verdict":"error","kind":"%s","at":"%s"}|} id kind at in
  let case line expected = same line (of_line (Some line)) expected in
  case {|{"id":[1.50],"op":"echo","given":{}}|} {|{"id":[1.50],"verdict":"echo","given":{}}|};
  case {|{"op":"echo","given":1}|} {|{"verdict":"echo","given":1}|};
  case {|{"op":"echo"}|} (error "" "parse" "");
  case {|{"id":1,"op":"fly"}|} (error {|"id":1,|} "unsupported" "/op");
  case {|{"id":1,"op":[]}|} (error {|"id":1,|} "parse" "/op");
  case {|{"id":1,"op":"deep"}|} (error {|"id":1,|} "limit" "");
  case {|{"id":1,"op":"echo","given":[{"a/b":1,"a/b":1}]}|} (error {|"id":1,|} "parse" "/given/0/a~1b");
  case {|{"id":1,"id":1,"op":"echo"}|} (error {|"id":null,|} "parse" "/id");
  case {|{"id":{"a":1,"a":1},"op":"echo","given":1}|} {|{"id":{"a":1,"a":1},"verdict":"echo","given":1}|};
  case "[]" (error {|"id":null,|} "parse" "");
  same "a long line" (of_line None) (error {|"id":null,|} "limit" "")

let terms () =
  let read text = Json.to_string (write_constraint (read_constraint (new_sorts ()) "" (Json.parse text))) in
  let kept =
    [ {|{"eq":[3,{"var":"a"}]}|}; {|{"le":["unit",{"n":3,"basis":"rgb"}]}|};
      {|{"le":[{"lead":[3],"var":"r","trail":[{"var":"a"}]},{"lead":[],"trail":[18446744073709551615]}]}|} ]
  in
  List.iter (fun text -> same text (read text) text) kept;
  let refused text expected = same text (refusal (fun () -> read text)) expected in
  refused {|{"eq":[0,3]}|} "parse /eq/0";
  refused {|{"eq":[3,18446744073709551616]}|} "parse /eq/1";
  refused {|{"eq":[3,1e0]}|} "parse /eq/1";
  refused {|{"eq":[3]}|} "parse /eq";
  refused {|{"eq":[3,3],"le":[3,3]}|} "parse ";
  refused {|{"le":[3,{"lead":[],"trail":[]}]}|} "sort /le";
  refused {|{"le":[{"lead":[{"var":"r"}],"var":"r","trail":[]},{"lead":[],"trail":[]}]}|} "sort /le/0/var";
  refused {|{"le":[{"lead":[],"trail":[{"var":"unit"}]},{"lead":[],"trail":[]}]}|} "parse /le/0/trail/0/var"

let asking command =
  let constr text = Json.List [ Json.parse text ] in
  let solve text = [ ("op", Json.String "solve"); ("constraints", constr text) ] in
  let oracle = start command in
  let verdict request = refusal (fun () -> Json.to_string (field (ask oracle request) "verdict")) in
  same "solve" (verdict (solve {|{"le":[5,{"var":"a"}]}|})) {|"solved"|};
  same "a refusal" (verdict (solve {|{"eq":[0,3]}|})) "parse /constraints/0/eq/0";
  same "the next question" (verdict [ ("op", String "version") ]) {|"version"|};
  (* Longer than a pipe holds. *)
  let equation i = Json.parse (Printf.sprintf {|{"eq":[{"var":"a%d"},3]}|} i) in
  let long = Json.List (List.init 50_000 equation) in
  same "a long question" (verdict [ ("op", String "solve"); ("constraints", long) ]) {|"solved"|};
  stop oracle;
  let fails ?(timeout = 60.) ?(spec = "i") script expected =
    let oracle = start ~timeout [| "sh"; "-c"; script |] in
    same script (ended (fun () -> ask oracle [ ("op", Json.String "parse"); ("spec", String spec) ])) expected
  in
  fails ~timeout:0.5 "exec sleep 60" "no answer within 0.5 s";
  fails ~timeout:0.5 ~spec:(String.make 200_000 'x') "exec sleep 60" "no answer within 0.5 s";
  fails "read line; exit 3" "the engine ended before its answer";
  fails "read line; echo babble; exec sleep 60" "the answer is no JSON object";
  fails {|read line; echo '{"id":"x"}'; exec sleep 60|} "the answer has another id than the request"

let () =
  json ();
  answers ();
  terms ();
  asking (Array.sub Sys.argv 1 (Array.length Sys.argv - 1));
  Printf.printf "%d tests\n" !count
