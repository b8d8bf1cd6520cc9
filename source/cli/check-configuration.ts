import {loadConfig} from '../config/load-config.ts';
import {buildRouteTable} from '../config/route-table.ts';
import {createSubscriptionsReader} from '../config/subscriptions.ts';
import type {Problem} from '../core/config-view.ts';
import {silentLogger} from '../core/log.ts';
import type {Context} from './context.ts';

/** Everything that is wrong with the files of a home, and how many routes they give. Unknown keys are errors here. */
export function checkConfiguration(context: Context): {
	readonly problems: readonly Problem[];
	readonly routes: number;
	readonly exists: boolean;
} {
	const paths = context.paths();
	const loaded = loadConfig({paths, environment: context.environment, strict: true});
	if (!loaded.ok) {
		return {problems: loaded.problems, routes: 0, exists: true};
	}

	const {config} = loaded;
	const reader = createSubscriptionsReader({paths, clock: context.clock, log: silentLogger});
	const subscriptions = reader.current();
	const table = buildRouteTable(config, subscriptions);
	const placeless = {severity: 'error', line: 0, column: 0} as const;
	return {
		problems: [
			...config.warnings,
			...(subscriptions.problem === undefined
				? []
				: [{...placeless, file: paths.subscriptions, key: '', message: subscriptions.problem}]),
			...config.webhook.refusals.map(({reason}) => ({
				...placeless,
				file: paths.config,
				key: 'platforms.webhook.routes',
				message: reason,
			})),
			...table.skipped
				.filter(({source}) => source === 'dynamic')
				.map(({name, reason}) => ({
					...placeless,
					file: paths.subscriptions,
					key: name,
					message: reason,
				})),
			...table.warnings,
		],
		routes: table.routes.size,
		exists: config.exists,
	};
}
