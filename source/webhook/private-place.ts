import {realpathSync} from 'node:fs';
import {join, relative, sep} from 'node:path';
import {isInside} from './contained-path.ts';

/** Folders and files right below a home that hold secrets, what strangers sent, or the files of another profile. */
const privateNames = [
	'profiles',
	'run',
	'mcp-tokens',
	'cron',
	'logs',
	'state.db',
	'config.yaml',
	'webhook_subscriptions.json',
] as const;

/** The database has files beside it (`state.db-wal`), and people keep copies beside the others. */
const privateName =
	/^(?:profiles|run|mcp-tokens|cron|logs)$|^(?:state\.db|config\.yaml|webhook_subscriptions\.json)/;

/** In whatever folder it is. */
const environmentName = /^\.env(?![a-z0-9])/;

/**
 * Whether `path` inside the home `home`, both real paths, is one of the gateway's own: a filter that asks whether a value is in such a file would tell a sender what it holds, one
 * guess an event. Also when the place is reached by another name, because it is itself a link to there.
 *
 * @see manual/filters-and-templates.md#filters
 */
export function isPrivatePlace(home: string, path: string): boolean {
	// Where the file system does not tell them apart, upper case would be a way around.
	const names = relative(home, path).toLowerCase().split(sep);
	return (
		privateName.test(names[0] ?? '') ||
		names.some(name => environmentName.test(name)) ||
		[...privateNames, '.env'].some(name => isAt(join(home, name), path))
	);
}

function isAt(place: string, path: string): boolean {
	try {
		const real = realpathSync(place);
		return real === path || isInside(real, path);
	} catch {
		// Most homes do not have all of them.
		return false;
	}
}
