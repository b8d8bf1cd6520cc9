import {nodeFlags} from '../../../core/node-flags.ts';
import {type Check, ok} from './check.ts';

/** Node, what it was started with, and its SQLite. An older Node never comes here: the program refuses it. */
export const program: Check = {
	subject: 'node',
	look({context: {version, environment}}) {
		const {version: node, execArgv, versions} = process;
		const given = `${execArgv.join(' ')} ${environment['NODE_OPTIONS'] ?? ''}`;
		const missing = nodeFlags.filter(flag => !given.includes(flag));
		const flags =
			missing.length === 0 ? '' : `; started without ${missing.join(' ')}, which only saves memory`;
		return [
			ok(
				`svc ${version} on Node ${node} (24 or newer is needed), SQLite ${versions['sqlite'] ?? '?'}${flags}`,
			),
		];
	},
};
