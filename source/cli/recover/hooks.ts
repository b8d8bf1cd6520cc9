import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {type ForgeApi, pageSize, pagesOf} from './forge-api.ts';

/** A webhook of a repository. */
type Hook = {readonly id: string; readonly url: string};

/** A repository has 20 of them for each event. */
const maxPages = 5;

/** Below this path its receiver serves a route. */
export type RoutePlace = {
	/** `/webhooks/gh`, `/p/acme/webhooks/gh`. */
	readonly path: string;
	/** `default`, or the profile that the path names. */
	readonly profile: string;
};

/**
 * The only webhook of `repo` that points at a route.
 *
 * @throws SvcError `hook_not_found` naming what there is, `hook_ambiguous`, `forge_*`
 */
export async function findHook(api: ForgeApi, repo: string, place: RoutePlace): Promise<string> {
	const hooks = await listHooks(api, repo);
	const fitting = hooks.filter(({url}) => pointsAt(url, place));
	const [hook] = fitting;
	if (fitting.length > 1) {
		throw new SvcError(
			'hook_ambiguous',
			`Cannot tell which webhook of "${repo}" is meant: ${fitting.map(({id}) => id).join(', ')} all point at "${place.path}"; choose one with --hook`,
		);
	}

	if (!hook) {
		const others = hooks.slice(0, 5).map(({id, url}) => `${id} (${shownUrl(url)})`);
		throw new SvcError(
			'hook_not_found',
			`Cannot find a webhook of "${repo}" whose address ends in "${place.path}": ${others.length === 0 ? 'it has none' : `it has ${others.join(', ')}`}; see --hook and --repo`,
		);
	}

	return hook.id;
}

async function listHooks(api: ForgeApi, repo: string): Promise<readonly Hook[]> {
	const hooks: Hook[] = [];
	for await (const {entries} of pagesOf(api, `repos/${repo}/hooks`, maxPages)) {
		hooks.push(...hooksIn(entries));
	}

	return hooks;
}

const hooksIn = (entries: readonly unknown[]): readonly Hook[] =>
	entries
		.slice(0, pageSize)
		.filter(isJsonObject)
		.flatMap(hook => {
			const id = JSON.stringify(hook['id']) ?? '';
			const config = hook['config'];
			const url = isJsonObject(config) ? config['url'] : undefined;
			return /^\d{1,20}$/.test(id) && typeof url === 'string' ? [{id, url}] : [];
		});

/** Whether an address leads to a route, perhaps through a proxy that puts its own path in front. Pure. */
export function pointsAt(url: string, {path, profile}: RoutePlace): boolean {
	const place = URL.parse(url)?.pathname.replace(/\/$/, '') ?? '';
	if (!place.endsWith(path)) {
		return false;
	}

	// The path of a default route is also the end of the path of another profile's route of the same name.
	const [, prefix] = /\/p\/([^/]+)$/.exec(place.slice(0, -path.length)) ?? [];
	return profile !== 'default' || prefix === undefined || prefix === 'default';
}

/** Without user, password and query, where secrets stand. */
const shownUrl = (url: string): string => {
	const {origin = '', pathname = ''} = URL.parse(url) ?? {};
	return escapeLine(origin + pathname, 120);
};
