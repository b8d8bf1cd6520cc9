import type {Diagnostic} from '../core/config-view.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {KeyPath} from './plain-data.ts';
import {maxProblems, type YamlSource} from './yaml-source.ts';

const maxKeyLength = 200;
const maxMessageLength = 500;

/** A finding at a key, before its position in a file is known: an error, or a setting without the effect that it seems to have. */
export type UnplacedDiagnostic = {
	readonly path: KeyPath;
	readonly message: string;
	/** Default `error`. */
	readonly severity?: Diagnostic['severity'];
	/** Whether the key or its value is wrong; default `value`. */
	readonly at?: 'key' | 'value';
	/** The path to point to, if not `path`, which may be missing in the file. */
	readonly shownAt?: KeyPath;
	/** The unknown keys at `path` that the finding is about. */
	readonly unknownKeys?: readonly string[];
};

/** A warning at `path`; none without a message. */
export const warningsAt = (
	path: KeyPath,
	message: string | undefined,
	at: UnplacedDiagnostic['at'] = 'value',
): readonly UnplacedDiagnostic[] =>
	message === undefined ? [] : [{path, message, severity: 'warning', at}];

/** A finding within `place` with its paths from the root. */
export const below = (
	place: KeyPath,
	{path, shownAt, ...finding}: UnplacedDiagnostic,
): UnplacedDiagnostic => ({
	...finding,
	path: [...place, ...path],
	...(shownAt && {shownAt: [...place, ...shownAt]}),
});

/** A finding with its paths relative to `place`, which contains it. */
export const seenFrom = (
	place: KeyPath,
	{path, shownAt, ...finding}: UnplacedDiagnostic,
): UnplacedDiagnostic => ({
	...finding,
	path: path.slice(place.length),
	...(shownAt && {shownAt: shownAt.slice(place.length)}),
});

/** Gives findings their positions in `file`, from which `source` was read. */
export function createPlacer(
	file: string,
	source: YamlSource,
): (finding: UnplacedDiagnostic) => Diagnostic {
	return ({path, message, severity = 'error', at = 'value', shownAt = path}) =>
		diagnosticIn(file, {
			severity,
			...(at === 'key' ? source.positionOfKey(shownAt) : source.positionOf(shownAt)),
			key: path.join('.'),
			message,
		});
}

/** A problem with key and message escaped: both may hold text from the file. */
export const diagnosticIn = (file: string, problem: Omit<Diagnostic, 'file'>): Diagnostic => ({
	...problem,
	file,
	key: escapeLine(problem.key, maxKeyLength),
	message: escapeLine(problem.message, maxMessageLength),
});

type PlacelessProblem = Pick<Diagnostic, 'message'> & Partial<Pick<Diagnostic, 'key' | 'severity'>>;

/** A problem of a whole file, or without a file position. */
export const placeless = (
	file: string,
	{key = '', message, severity = 'error'}: PlacelessProblem,
): Diagnostic => diagnosticIn(file, {severity, line: 0, column: 0, key, message});

/** Turns findings of a file into problems without positions, if its text is not available. */
export const placelessIn =
	(file: string) =>
	({path, message, severity = 'error'}: UnplacedDiagnostic): Diagnostic =>
		placeless(file, {key: path.join('.'), message, severity});

/** Sorts by position in the file; problems without one come first. */
export const inFileOrder = (problems: readonly Diagnostic[]): readonly Diagnostic[] =>
	problems.toSorted((a, b) => a.line - b.line || a.column - b.column);

/** The first 100 of `problems`, errors before warnings, in the order of the file, and one more with the number of the rest. */
export function boundedProblems(
	problems: readonly Diagnostic[],
	file: string,
): readonly Diagnostic[] {
	const worstFirst = problems.toSorted((a, b) => rankOf(a) - rankOf(b));
	const [next, ...others] = worstFirst.slice(maxProblems);
	const more = `… and ${others.length + 1} more`;
	return [
		...inFileOrder(worstFirst.slice(0, maxProblems)),
		...(next ? [placeless(file, {message: more, severity: next.severity})] : []),
	];
}

const rankOf = ({severity}: Diagnostic): number => (severity === 'error' ? 0 : 1);
