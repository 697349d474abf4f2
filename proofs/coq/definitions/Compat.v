(** Lemmas of the standard library that have one name in Coq up to 8.19 and
    another from 8.20 on.  Here they have names of their own. *)

From Coq Require Import List Arith Lia.
Import ListNotations.

Lemma len_app : forall (A : Type) (l k : list A), length (l ++ k) = length l + length k.
Proof. intros A l k; induction l as [|x l IH]; simpl; auto. Qed.

Lemma len_map : forall (A B : Type) (f : A -> B) (l : list A), length (map f l) = length l.
Proof. intros A B f l; induction l as [|x l IH]; simpl; auto. Qed.

Lemma len_rev : forall (A : Type) (l : list A), length (rev l) = length l.
Proof. intros A l; induction l as [|x l IH]; simpl; auto. rewrite len_app, IH; simpl; lia. Qed.

Lemma len_firstn : forall (A : Type) n (l : list A), length (firstn n l) = min n (length l).
Proof. intros A n; induction n as [|n IH]; intros [|x l]; simpl; auto. Qed.

Lemma len_skipn : forall (A : Type) n (l : list A), length (skipn n l) = length l - n.
Proof. intros A n; induction n as [|n IH]; intros [|x l]; simpl; auto. Qed.

Lemma len_seq : forall n start, length (seq start n) = n.
Proof. intros n; induction n as [|n IH]; intros start; simpl; auto. Qed.
