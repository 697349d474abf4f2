import Ranged.Definitions
import Ranged.Conformance
import Ranged.Theorems
