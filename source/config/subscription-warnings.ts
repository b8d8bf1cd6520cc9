import type {JsonValue} from '../core/json.ts';
import type {Config} from './config.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {buildRouteTable} from './route-table.ts';

/**
 * What a person should know of the subscription `name` with `entry`, which `checkSubscription` lets pass: why it is not served all the same (a route of `config.yaml` has its name,
 * its profile is not served), what of it has no effect, a profile without a folder. One sentence each.
 */
export function warningsOfSubscription(
	name: string,
	entry: JsonValue,
	config: Config,
): readonly string[] {
	const {skipped, warnings} = buildRouteTable(config, {entries: {[name]: entry}});
	return [
		...skipped.filter(({source}) => source === 'dynamic').map(({reason}) => reason),
		...warnings.map(formatDiagnostic),
	];
}
