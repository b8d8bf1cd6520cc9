import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {ApiConfig} from './config.ts';
import {type Environment, variable} from './environment.ts';

/** A variable that says nothing useful. */
export type VariableProblem = {
	readonly name: string;
	/** The setting that it stands for. */
	readonly key: string;
	readonly message: string;
};

const switches: Readonly<Record<string, boolean>> = {
	true: true,
	yes: true,
	on: true,
	'1': true,
	false: false,
	no: false,
	off: false,
	'0': false,
};

/** The setting `enabled` of a server as a variable has it; `undefined` where it says nothing. */
export function switchIn(
	environment: Environment,
	name: string,
): boolean | VariableProblem | undefined {
	const written = variable(environment, name)?.trim().toLowerCase();
	if (!written) {
		return undefined;
	}

	return Object.hasOwn(switches, written)
		? switches[written]
		: {name, key: 'enabled', message: 'must be true or false'};
}

const maxPort = 65_535;

/** The setting `port`, in the same way. */
export function portIn(
	environment: Environment,
	name: string,
): number | VariableProblem | undefined {
	const written = variable(environment, name)?.trim();
	if (!written) {
		return undefined;
	}

	const port = /^\d{1,5}$/.test(written) ? Number(written) : Number.NaN;
	return port <= maxPort
		? port
		: {name, key: 'port', message: `must be a whole number from 0 to ${maxPort}`};
}

/**
 * The chat API's settings with `API_ENABLED` and `API_PORT`, which count where `written` (the section in the file) does not say so itself.
 * A variable that cannot be read breaks the section: its default is not what was meant.
 */
export function withApiVariables(
	api: ApiConfig,
	{
		written,
		environment,
	}: {readonly written: JsonValue | undefined; readonly environment: Environment},
): {readonly api: ApiConfig; readonly problems: readonly VariableProblem[]} {
	const says = (key: string) =>
		isJsonObject(written) && Object.hasOwn(written, key) && written[key] !== null;
	const enabled = says('enabled') ? undefined : switchIn(environment, 'API_ENABLED');
	const port = says('port') ? undefined : portIn(environment, 'API_PORT');
	const problems = [enabled, port].filter(value => typeof value === 'object');
	const [problem] = problems;
	return {
		problems,
		api: {
			...api,
			...(typeof enabled === 'boolean' && {enabled}),
			...(typeof port === 'number' && {port}),
			...(problem && {broken: `${problem.name} ${problem.message}`}),
		},
	};
}
