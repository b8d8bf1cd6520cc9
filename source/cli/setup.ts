import {editConfig} from '../config/edit-config.ts';
import {ensureHome} from '../config/home-paths.ts';
import type {Context} from './context.ts';
import {printLines, tell} from './print.ts';

/** Writes the receiver settings that were given; says what to give when none was. */
export async function setUpReceiver(
	context: Context,
	options: {
		readonly enable?: boolean;
		readonly host?: string;
		readonly port?: number;
		readonly secret?: string;
	},
): Promise<void> {
	const values = {
		enabled: options.enable,
		host: options.host,
		port: options.port,
		secret: options.secret,
	};
	const edits = Object.entries(values).flatMap(([key, value]) =>
		value === undefined ? [] : [{path: ['platforms', 'webhook', key], value}],
	);
	if (edits.length === 0) {
		tell(context, 'Nothing to write: name at least one of --enable, --host, --port, --secret');
		context.exit(2);
		return;
	}

	const paths = context.paths();
	ensureHome(paths);
	await editConfig(paths, edits, {clock: context.clock});
	printLines(context, [
		`Wrote ${edits.map(({path}) => path.join('.')).join(', ')} to ${paths.config}`,
		'A gateway that runs takes it over; host and port need a restart.',
	]);
}
