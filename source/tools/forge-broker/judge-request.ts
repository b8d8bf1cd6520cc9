import {wordsOf} from '../../core/names.ts';

/** The one repository of a code host that a broker gives access to. */
export type ForgeRepository = {
	/** `github.com`, or the host of an enterprise server. */
	readonly host: string;
	readonly owner: string;
	readonly name: string;
};

type RequestVerdict =
	/** `url` is requested from the code host, including the query string. The body of a `graphql` request must still be judged. */
	| {readonly kind: 'rest' | 'git' | 'graphql'; readonly url: string}
	| {readonly kind: 'refused'; readonly reason: string};

/** The URLs of the code host's two APIs. */
export function addressesOf(host: string) {
	const isOwnApi = host === 'github.com' || host.endsWith('.ghe.com');
	return isOwnApi
		? {apiHost: `api.${host}`, prefix: '', graphql: '/graphql'}
		: {apiHost: host, prefix: '/api/v3', graphql: '/api/graphql'};
}

/** The first path segment after `/repos/<owner>/<name>/` that may be read. Others are for maintainers, or unknown. */
const readable = new Set(
	wordsOf(`
		actions assignees branches check-runs check-suites commits comments compare contents
		contributors deployments events git issues labels languages license milestones pages pulls
		readme releases rules rulesets stats status statuses tags topics
	`),
);

/** Exceptions, as paths after `/repos/<owner>/<name>/`: those leading to other repositories, or revealing secrets that the token can read. */
const elsewhere: ReadonlyArray<readonly [RegExp, string]> = [
	[/^compare\/.*:/, 'it compares with another repository'],
	[
		/^issues\/[^/]*\/(?!(?:comments|events|labels|reactions)(?:\/|$))/,
		'it may show issues of other repositories',
	],
	[/^actions\/(?!(?:runs|jobs|workflows|artifacts)(?:\/|$))/, 'it shows how the repository is run'],
];

const loopback = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/;

/**
 * Whether a request may go to the code host: GET and HEAD of the REST API below the repository, its GraphQL API, and what `git fetch` needs of it. `gh` names the
 * host it means in its `Host` header; git comes through a port of the sandbox.
 *
 * @see manual/sandbox-network.md#forge
 */
export function judgeRequest(
	{method, url, host}: {readonly method: string; readonly url: string; readonly host: string},
	repository: ForgeRepository,
): RequestVerdict {
	const [path = '', query] = /^[!"$-~]*$/.test(url) ? url.split(/\?(.*)/s) : [];
	const parts = partsOf(path);
	if (!parts) {
		return refused('its path is not plain');
	}

	const search = query === undefined ? '' : `?${query}`;
	const {apiHost, prefix, graphql} = addressesOf(repository.host);
	if (loopback.test(host)) {
		return judgeGit(parts, {method, search}, repository);
	}

	if (host.toLowerCase() !== apiHost) {
		return refused(`it is for another host than ${repository.host}`);
	}

	if (path === graphql) {
		return method === 'POST' && query === undefined
			? {kind: 'graphql', url: `https://${apiHost}${graphql}`}
			: refused('GraphQL takes POST alone');
	}

	const [root, owner, name, ...rest] = parts.slice(prefix === '' ? 0 : 2);
	if (!path.startsWith(`${prefix}/`) || root !== 'repos' || !isOf(repository, owner, name)) {
		return refused(`it is not below /repos/${repository.owner}/${repository.name}`);
	}

	if (method !== 'GET' && method !== 'HEAD') {
		return refused(`${method} may change something`);
	}

	const below = rest
		.map(part => decodeURIComponent(part))
		.join('/')
		.toLowerCase();
	const [first = ''] = below.split('/');
	if (first !== '' && !readable.has(first)) {
		return refused('it is not among what may be read of a repository');
	}

	const found = elsewhere.find(([pattern]) => pattern.test(below));
	return found
		? refused(found[1])
		: {
				kind: 'rest',
				url: `https://${apiHost}${[prefix, 'repos', repository.owner, repository.name, ...rest].join('/')}${search}`,
			};
}

function judgeGit(
	[asked, dotted = '', ...rest]: readonly string[],
	{method, search}: {readonly method: string; readonly search: string},
	repository: ForgeRepository,
): RequestVerdict {
	const {host, owner, name} = repository;
	if (!isOf(repository, asked, dotted.replace(/\.git$/i, ''))) {
		return refused(`it is not ${owner}/${name}`);
	}

	const what = `${rest.join('/')}${search}`;
	const isFetch =
		(method === 'GET' && what === 'info/refs?service=git-upload-pack') ||
		(method === 'POST' && what === 'git-upload-pack');
	return isFetch
		? {kind: 'git', url: `https://${host}/${owner}/${name}.git/${what}`}
		: refused('git may fetch, and nothing else');
}

const refused = (reason: string): RequestVerdict => ({kind: 'refused', reason});

/** The segments of an absolute path. `undefined` if one is empty, a dot segment, or contains an encoded separator. */
function partsOf(path: string): readonly string[] | undefined {
	if (!/^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/.test(path)) {
		return undefined;
	}

	const parts = path.split('/').slice(1);
	try {
		return parts.some(part => /^\.{0,2}$|[/\\\0]|%[0-9a-f]{2}/i.test(decodeURIComponent(part)))
			? undefined
			: parts;
	} catch {
		return undefined;
	}
}

const isOf = (
	repository: ForgeRepository,
	owner: string | undefined,
	name: string | undefined,
): boolean =>
	owner?.toLowerCase() === repository.owner.toLowerCase() &&
	name?.toLowerCase() === repository.name.toLowerCase();
