import {SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {type ForgeApi, pageSize, pagesOf} from './forge-api.ts';

/** A webhook of a repository. */
type Hook = {readonly id: string; readonly url: string};

/** Enough: a repository can have 20 webhooks per event. */
const maxPages = 5;

/** A route's URL path, which a webhook must point to. */
export type RoutePlace = {
	/** `/webhooks/gh`, `/p/acme/webhooks/gh`. */
	readonly path: string;
	/** `default`, or the profile named by the path. */
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

/** Whether a URL leads to a route, possibly through a proxy that adds a path prefix. Pure. */
export function pointsAt(url: string, {path, profile}: RoutePlace): boolean {
	const place = URL.parse(url)?.pathname.replace(/\/$/, '') ?? '';
	if (!place.endsWith(path)) {
		return false;
	}

	// A default route's path is also the end of the path of another profile's route with the same name.
	const [, prefix] = /\/p\/([^/]+)$/.exec(place.slice(0, -path.length)) ?? [];
	return profile !== 'default' || prefix === undefined || prefix === 'default';
}

/** The URL without user, password and query, which may contain secrets. */
const shownUrl = (url: string): string => {
	const {origin = '', pathname = ''} = URL.parse(url) ?? {};
	return escapeLine(origin + pathname, 120);
};
