import {basename, isAbsolute} from 'node:path';
import type {Diagnostic} from '../core/config-view.ts';

/** One line for a person: `config.yaml:12:5 platforms.webhook.rate_limitt: unknown key, did you mean "rate_limit"`. */
export function formatDiagnostic(problem: Diagnostic): string {
	const {key, message} = problem;
	return key === '' ? `${placeOf(problem)}: ${message}` : `${placeOf(problem)} ${key}: ${message}`;
}

/** `config.yaml:12:5: Route "x" …`: `sentence`, which names its subject, after the position of `problem`. */
export const placed = (problem: Diagnostic, sentence: string): string =>
	`${placeOf(problem)}: ${sentence}`;

/** Problems of database rows have the name of the database in place of a file. */
const placeOf = ({file, line, column}: Diagnostic): string => {
	const name = isAbsolute(file) ? basename(file) : file;
	return line > 0 ? `${name}:${line}:${column}` : name;
};
