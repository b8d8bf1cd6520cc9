import type {Diagnostic} from '../core/config-view.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {KeyPath} from './plain-data.ts';
import {maxProblems, type YamlSource} from './yaml-source.ts';

const maxKeyLength = 200;
const maxMessageLength = 500;

/** Something wrong at a key, or without the effect that it seems to have, before it has a place in a file. */
export type UnplacedDiagnostic = {
	readonly path: KeyPath;
	readonly message: string;
	/** Default `error`. */
	readonly severity?: Diagnostic['severity'];
	/** Whether the key or its value is wrong; default `value`. */
	readonly at?: 'key' | 'value';
	/** The place to look at, where that is another one than `path`, which may not be there. */
	readonly shownAt?: KeyPath;
	/** The unknown keys at `path` that this is about. */
	readonly unknownKeys?: readonly string[];
};

/** A warning at `path`, where there is something to say. */
export const warningsAt = (
	path: KeyPath,
	message: string | undefined,
	at: UnplacedDiagnostic['at'] = 'value',
): readonly UnplacedDiagnostic[] =>
	message === undefined ? [] : [{path, message, severity: 'warning', at}];

/** Moves a finding from inside of `place` to the root. */
export const below = (
	place: KeyPath,
	{path, shownAt, ...finding}: UnplacedDiagnostic,
): UnplacedDiagnostic => ({
	...finding,
	path: [...place, ...path],
	...(shownAt && {shownAt: [...place, ...shownAt]}),
});

/** Makes the paths of a finding relative to `place`, which holds it. */
export const seenFrom = (
	place: KeyPath,
	{path, shownAt, ...finding}: UnplacedDiagnostic,
): UnplacedDiagnostic => ({
	...finding,
	path: path.slice(place.length),
	...(shownAt && {shownAt: shownAt.slice(place.length)}),
});

/** Gives findings their place in the file that `source` was read from. */
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

/** A problem with key and message escaped: both may hold typed text. */
export const diagnosticIn = (file: string, problem: Omit<Diagnostic, 'file'>): Diagnostic => ({
	...problem,
	file,
	key: escapeLine(problem.key, maxKeyLength),
	message: escapeLine(problem.message, maxMessageLength),
});

type PlacelessProblem = Pick<Diagnostic, 'message'> & Partial<Pick<Diagnostic, 'key' | 'severity'>>;

/** A problem of a file as a whole, or of something that stands in no file. */
export const placeless = (
	file: string,
	{key = '', message, severity = 'error'}: PlacelessProblem,
): Diagnostic => diagnosticIn(file, {severity, line: 0, column: 0, key, message});

/** Findings of a file whose text is not at hand. */
export const placelessIn =
	(file: string) =>
	({path, message, severity = 'error'}: UnplacedDiagnostic): Diagnostic =>
		placeless(file, {key: path.join('.'), message, severity});

/** The order of the file; what has no place comes first. */
export const inFileOrder = (problems: readonly Diagnostic[]): readonly Diagnostic[] =>
	problems.toSorted((a, b) => a.line - b.line || a.column - b.column);

/** The first 100 of `problems`, errors before warnings, in the order of the file, and one more that says how many there are beyond. */
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
