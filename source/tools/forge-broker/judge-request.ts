/** One repository of one code host, which is all that a broker gives away. */
export type ForgeRepository = {
	/** `github.com`, or the host of an enterprise server. */
	readonly host: string;
	readonly owner: string;
	readonly name: string;
};

export type RequestVerdict =
	/** `url` is what is asked of the code host, with the query. */
	| {readonly kind: 'rest' | 'git'; readonly url: string}
	/** Its body is still to be judged. */
	| {readonly kind: 'graphql'; readonly url: string}
	| {readonly kind: 'refused'; readonly reason: string};

/** Where the code host serves its two interfaces and git. */
export function addressesOf(host: string) {
	const isOwnApi = host === 'github.com' || host.endsWith('.ghe.com');
	return isOwnApi
		? {apiHost: `api.${host}`, prefix: '', graphql: '/graphql', git: `https://${host}`}
		: {apiHost: host, prefix: '/api/v3', graphql: '/api/graphql', git: `https://${host}`};
}

/** The first part of what of a repository's interface may be read, behind `/repos/<owner>/<name>/`; the others are for those who run it, or are not known. */
const readable: ReadonlySet<string> = new Set(
	'actions assignees branches check-runs check-suites commits comments compare contents contributors deployments events git issues labels languages license milestones pages pulls readme releases rules rulesets stats status statuses tags topics'.split(
		' ',
	),
);

/** What of these leads to other repositories, or gives away secrets that the token may see. Of the path behind `/repos/<owner>/<name>/`. */
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
 * Whether a request may go to the code host: GET and HEAD of the REST API below the repository, its GraphQL API, and what `git fetch` needs of the repository. `gh` says by its `Host` header which host it means; git comes through
 * a port of the sandbox.
 *
 * @see manual/sandbox-network.md#forge
 */
export function judgeRequest(
	{method, url, host}: {readonly method: string; readonly url: string; readonly host: string},
	repository: ForgeRepository,
): RequestVerdict {
	const [path = '', query] = /^[!"$-~]*$/.test(url) ? splitOnce(url) : [];
	const parts = partsOf(path);
	if (!parts) {
		return refused('its path is not plain');
	}

	const {apiHost, prefix, graphql, git} = addressesOf(repository.host);
	if (loopback.test(host)) {
		return judgeGit({method, parts, query}, repository, git);
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
				url: `https://${apiHost}${['', ...(prefix === '' ? [] : ['api', 'v3']), 'repos', repository.owner, repository.name, ...rest].join('/')}${query === undefined ? '' : `?${query}`}`,
			};
}

function judgeGit(
	{
		method,
		parts: [owner, name = '', ...rest],
		query,
	}: {
		readonly method: string;
		readonly parts: readonly string[];
		readonly query: string | undefined;
	},
	repository: ForgeRepository,
	origin: string,
): RequestVerdict {
	if (!isOf(repository, owner, name.replace(/\.git$/i, ''))) {
		return refused(`it is not ${repository.owner}/${repository.name}`);
	}

	const asked = `${method} ${rest.join('/')}${query === undefined ? '' : `?${query}`}`;
	const isFetch =
		asked === 'GET info/refs?service=git-upload-pack' || asked === 'POST git-upload-pack';
	return isFetch
		? {
				kind: 'git',
				url: `${origin}/${repository.owner}/${repository.name}.git/${asked.slice(method.length + 1)}`,
			}
		: refused('git may fetch, and nothing else');
}

const refused = (reason: string): RequestVerdict => ({kind: 'refused', reason});

function splitOnce(url: string): readonly [string, string | undefined] {
	const at = url.indexOf('?');
	return at === -1 ? [url, undefined] : [url.slice(0, at), url.slice(at + 1)];
}

/** The parts of an absolute path. `undefined`: one is empty, a dot segment, or hides a separator. */
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
