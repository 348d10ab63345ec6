package diag

import "slices"

// Code is the stable name of a kind of problem. The first two digits say where
// it is found: 01 files and syntax, 02 names, 03 types and values, 04 values
// that must be known early, 05 order.
type Code string

// The codes. A code is never used again for something else; SCN0312 was one of
// windows, which no version reported.
const (
	Unreadable       Code = "SCN0101"
	IsDirectory      Code = "SCN0102"
	EmptyFile        Code = "SCN0103"
	NotUTF8          Code = "SCN0104"
	TooLarge         Code = "SCN0105"
	Syntax           Code = "SCN0106"
	BadInclude       Code = "SCN0107"
	IncludeCycle     Code = "SCN0108"
	SecondScenario   Code = "SCN0109"
	Outside          Code = "SCN0110"
	NoScenario       Code = "SCN0111"
	StepInLibrary    Code = "SCN0112"
	BadVariablesFile Code = "SCN0113"

	UnknownBlock     Code = "SCN0201"
	UnknownArgument  Code = "SCN0202"
	UnknownName      Code = "SCN0203"
	MissingArgument  Code = "SCN0204"
	WrongLabels      Code = "SCN0205"
	BadName          Code = "SCN0206"
	DeclaredTwice    Code = "SCN0207"
	UnknownType      Code = "SCN0208"
	UnknownAttribute Code = "SCN0209"
	UnknownFunction  Code = "SCN0210"
	BlockTwice       Code = "SCN0211"
	MissingBlock     Code = "SCN0212"
	NotVisible       Code = "SCN0213"
	HidesRoot        Code = "SCN0214"
	NotAllowedHere   Code = "SCN0215"
	NoInstance       Code = "SCN0216"
	Incomplete       Code = "SCN0217"
	Contradiction    Code = "SCN0218"
	DefineCycle      Code = "SCN0219"

	WrongType       Code = "SCN0301"
	NotBool         Code = "SCN0302"
	NeverEqual      Code = "SCN0303"
	InvalidValue    Code = "SCN0304"
	NotOneOf        Code = "SCN0305"
	NotReference    Code = "SCN0306"
	WrongCall       Code = "SCN0307"
	WrongOperand    Code = "SCN0308"
	NoFile          Code = "SCN0309"
	NullValue       Code = "SCN0310"
	CannotEvaluate  Code = "SCN0311"
	BadIndex        Code = "SCN0313"
	NoDefaultNode   Code = "SCN0314"
	WrongTargetKind Code = "SCN0315"

	KnownTooLate       Code = "SCN0401"
	DependsOnSensitive Code = "SCN0402"
	ValueCycle         Code = "SCN0403"
	NoValue            Code = "SCN0404"
	WrongValue         Code = "SCN0405"
	ValidationFailed   Code = "SCN0406"
	UndeclaredVariable Code = "SCN0407"
	EmptyAxis          Code = "SCN0408"
	DuplicateValue     Code = "SCN0409"
	AllExcluded        Code = "SCN0410"
	TooMany            Code = "SCN0411"
	BadCount           Code = "SCN0412"
	BadAxis            Code = "SCN0413"
	ShortSecret        Code = "SCN0414"

	OrderCycle      Code = "SCN0501"
	LaterStep       Code = "SCN0502"
	NeverReached    Code = "SCN0503"
	DependencyCycle Code = "SCN0504"
	NeverHealed     Code = "SCN0505"
	Conflict        Code = "SCN0506"
	NodeIsDown      Code = "SCN0507"
	NothingDone     Code = "SCN0508"
)

// Entry is what there is to say about a code.
type Entry struct {
	Code    Code
	Summary string // one line, without a full stop
}

var entries = []Entry{
	{Unreadable, "a file can't be read"},
	{IsDirectory, "a directory stands where a file is wanted"},
	{EmptyFile, "a file holds nothing"},
	{NotUTF8, "a file isn't UTF-8 text"},
	{TooLarge, "a file is larger than 8 MiB"},
	{Syntax, "the text isn't HCL native syntax"},
	{BadInclude, "include takes a list of plain strings, at the top of a file"},
	{IncludeCycle, "files include each other in a circle"},
	{SecondScenario, "there is more than one scenario block"},
	{Outside, "a path leaves the tree of the scenario's directory"},
	{NoScenario, "the file has no scenario block: it is a library, which can only be included"},
	{StepInLibrary, "a library declares; steps stand in it only inside define"},
	{BadVariablesFile, "a file of variables holds NAME = VALUE lines only"},

	{UnknownBlock, "there is no block of that type here"},
	{UnknownArgument, "there is no argument of that name here"},
	{UnknownName, "nothing of that name is declared"},
	{MissingArgument, "a required argument is missing"},
	{WrongLabels, "a block has too few or too many labels"},
	{BadName, "a name must be lower case letters, digits and underscores, a letter first"},
	{DeclaredTwice, "a name is declared twice"},
	{UnknownType, "there is no action, fault, probe, workload or node kind of that type"},
	{UnknownAttribute, "what is referred to has no such attribute"},
	{UnknownFunction, "there is no function of that name"},
	{BlockTwice, "a block that may stand once stands twice"},
	{MissingBlock, "a required block is missing"},
	{NotVisible, "the name is declared, but not visible from here"},
	{HidesRoot, "the variable of a for expression hides a root such as node"},
	{NotAllowedHere, "something that exists has no place here"},
	{NoInstance, "there is no instance with that index or key"},
	{Incomplete, "a reference stops short of a name"},
	{Contradiction, "arguments exclude each other, or one of several is needed"},
	{DefineCycle, "a define is made of itself, directly or through others"},

	{WrongType, "a value is of the wrong type"},
	{NotBool, "a condition must be true or false"},
	{NeverEqual, "a comparison or a condition comes out the same whatever happens"},
	{InvalidValue, "a value isn't valid for its argument"},
	{NotOneOf, "a value isn't one of those allowed"},
	{NotReference, "a reference must stand here, written as such"},
	{WrongCall, "a function is called with the wrong arguments"},
	{WrongOperand, "an operator doesn't work on values of these types"},
	{NoFile, "a file that is named doesn't exist or can't be read"},
	{NullValue, "a value is needed where there is null"},
	{CannotEvaluate, "an expression can't be evaluated"},
	{BadIndex, "an index doesn't fit what it is applied to"},
	{NoDefaultNode, "the argument has no default, since not exactly one node fits"},
	{WrongTargetKind, "a reference is to something of another kind"},

	{KnownTooLate, "a value must be known before anything runs, but depends on what is known later"},
	{DependsOnSensitive, "a value that shapes the plan depends on a sensitive one"},
	{ValueCycle, "variables or locals depend on each other in a circle"},
	{NoValue, "a variable has neither a default nor a value"},
	{WrongValue, "the value of a variable doesn't fit its type"},
	{ValidationFailed, "the value of a variable is refused by its validation"},
	{UndeclaredVariable, "a value is given for a variable that isn't declared"},
	{EmptyAxis, "a matrix axis has no values"},
	{DuplicateValue, "a value stands twice"},
	{AllExcluded, "every combination of the matrix is excluded"},
	{TooMany, "there are too many variants, instances or elements"},
	{BadCount, "count must be a whole number that isn't negative, for_each a list, map or set"},
	{BadAxis, "exclude and include name axes of the matrix and their values"},
	{ShortSecret, "a sensitive value is too short to be hidden in free text"},

	{OrderCycle, "steps wait for each other in a circle"},
	{LaterStep, "a step refers to one that starts after it"},
	{NeverReached, "a step waits for something that can't come"},
	{DependencyCycle, "nodes depend on each other in a circle"},
	{NeverHealed, "nothing heals the fault; it is healed at the end"},
	{Conflict, "two faults take of a node at one time what only one can have"},
	{NodeIsDown, "a step acts on a node that is down or paused at that time"},
	{NothingDone, "a scenario has no steps, or one of them starts what runs already"},
}

// Codes returns all codes, in order.
func Codes() []Entry { return slices.Clone(entries) }
