import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {ApiConfig} from './config.ts';
import type {Environment} from './environment.ts';
import {portIn, switchIn, type VariableProblem} from './setting-variables.ts';

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
