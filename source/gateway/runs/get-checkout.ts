import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {SvcError, messageOf} from '../../core/errors.ts';
import {countOf} from '../../core/names.ts';
import type {PullRequest} from '../../core/run.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {bytes as sizeText} from '../../terminal/text/time.ts';
import type {ToolsRun} from '../../tools/toolset.ts';
import type {Prefetched, PrefetchWorld} from './get-diff.ts';
import {type CheckoutBounds, fetchedBytes, git, type GitExit, type GitWork} from './run-git.ts';

/** Where a run's tools work in a checkout. `none`: they do not; `reason` is the end of a sentence, after a colon. */
export type CheckoutPlace =
	| {
			readonly kind: 'folder';
			/** An empty folder that only this run writes. */
			readonly folder: string;
			/** The path of the folder inside the sandbox. */
			readonly path: string;
	  }
	| {readonly kind: 'none'; readonly reason: string};

const defaultBounds: CheckoutBounds = {bytes: 1_000_000_000, files: 100_000, timeoutMs: 60_000};

type CheckoutWorld = PrefetchWorld &
	Pick<ToolsRun['forge'], 'cli' | 'host' | 'token'> & {readonly bounds?: CheckoutBounds};

/** A checkout in progress. */
type Getting = GitWork &
	Pick<CheckoutWorld, 'cli'> & {
		/** For example `acme/api#7`. */
		readonly place: string;
		readonly url: string;
		/** The client's token. */
		readonly token: string;
	};

/**
 * Fetches the head commit of a pull request into `folder`: its files as committed, and a `.git` with only that commit. Git reads no other configuration, runs no hooks and
 * no filters, and is not run in the folder again: what an agent writes there later is never read by git.
 *
 * The token is passed to git by a file descriptor: it is in no file, argument or environment.
 *
 *
 * @throws SvcError `prefetch_failed`
 * @see manual/prefetch.md#checkout
 */
export async function getCheckout(
	{repo, number, head}: PullRequest,
	{folder, path}: Extract<CheckoutPlace, {readonly kind: 'folder'}>,
	{bounds = defaultBounds, ...world}: CheckoutWorld,
): Promise<Prefetched> {
	const {clock, host, cli} = world;
	const place = `${repo}#${number}`;
	if (!/^[a-z0-9.-]+(?::\d+)?$/.test(host)) {
		throw failed(
			{place},
			`GH_HOST is "${escapeLine(host, 100)}", which is no name of a host: set it to a host such as github.com`,
		);
	}

	const startedAt = clock.monotonic();
	const work: Getting = {
		...world,
		cli,
		bounds,
		folder,
		place,
		url: `https://${host}/${repo}.git`,
		token: await tokenOf(place, world),
		leftMs: () => bounds.timeoutMs - (clock.monotonic() - startedAt),
	};
	await layRepository(work);
	const isOfEvent = await fetchHead(work, {head, reference: `refs/pull/${number}/head`});
	const [commit = ''] =
		/^[0-9a-f]+/.exec(await readFile(join(folder, '.git/FETCH_HEAD'), 'utf8')) ?? [];
	const {files, bytes} = await measure(work, commit);
	succeeded(work, await git(work, ['checkout', '--quiet', '--force', '--detach', commit]));
	const ms = Math.round(clock.monotonic() - startedAt);
	const other = isOfEvent ? '' : `, the newest: ${head} of the event cannot be got any more`;
	return {
		texts: [],
		notes: [
			{
				text: `Got the checkout of ${work.place} from ${host} in ${(ms / 1000).toFixed(1)} s: commit ${commit}${other}; ${countOf(files, 'file')}, ${sizeText(bytes)}; the tools start in ${path}`,
				data: {prefetch: 'checkout', commit, path, files, bytes, ms},
			},
		],
	};
}

const failed = ({place}: Pick<Getting, 'place'>, reason: string) =>
	new SvcError('prefetch_failed', `Cannot get the checkout of ${place}: ${reason}`);

/** Creates what `git init` would, without anything that it takes from this machine. Attributes of the files do not apply: they are checked out as committed, without filters. */
async function layRepository(work: Getting): Promise<void> {
	const own = join(work.folder, '.git');
	const files = {
		HEAD: 'ref: refs/heads/main\n',
		config: `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n[remote "origin"]\n\turl = ${work.url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
		'info/attributes': '* -text -eol -ident -filter -working-tree-encoding\n',
	};
	try {
		for (const name of ['objects/pack', 'refs', 'info']) {
			// oxlint-disable-next-line no-await-in-loop -- a few folders
			await mkdir(join(own, name), {recursive: true});
		}

		for (const [name, text] of Object.entries(files)) {
			// oxlint-disable-next-line no-await-in-loop -- a few small files
			await writeFile(join(own, name), text);
		}
	} catch (error) {
		throw failed(work, messageOf(error));
	}
}

/** Fetches the commit of the event, or else the newest head. Returns whether it was the event's commit. */
async function fetchHead(
	work: Getting,
	{head, reference}: {readonly head: string | undefined; readonly reference: string},
): Promise<boolean> {
	const credentials = Buffer.from(`username=x-access-token\npassword=${work.token}\n`);
	const fetchOne = async (what: string) =>
		git(work, ['fetch', '--quiet', '--depth=1', '--no-tags', work.url, what], credentials);
	if (head !== undefined) {
		const exit = await fetchOne(head);
		if (!isNotThere.test(saidBy(exit))) {
			succeeded(work, exit);
			return true;
		}
	}

	succeeded(work, await fetchOne(reference));
	return head === undefined;
}

async function tokenOf(place: string, {token}: Pick<CheckoutWorld, 'token'>): Promise<string> {
	try {
		return await token();
	} catch (error) {
		throw failed({place}, messageOf(error));
	}
}

const isNotThere =
	/not our ref|unadvertised object|remote ref .* not found|couldn't find remote ref/i;

/** Measures the files of a commit before any is written: a tree may contain one file a billion times. */
async function measure(
	work: Getting,
	commit: string,
): Promise<{readonly files: number; readonly bytes: number}> {
	const {bounds} = work;
	const exit = await git(work, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit]);

	const sizes = [...succeeded(work, exit).matchAll(/(?:^|\0)\d+ \w+ [0-9a-f]+ +(\d+|-)\t/g)];
	const bytes = sizes.reduce((sum, [, size]) => sum + (Number(size) || 0), fetchedBytes(work));
	if (sizes.length > bounds.files) {
		throw failed(work, tooManyFiles(bounds));
	}

	if (bytes > bounds.bytes) {
		throw failed(work, tooManyBytes(bounds));
	}

	return {files: sizes.length, bytes};
}

const tooManyFiles = ({files}: CheckoutBounds): string => aboveBounds(countOf(files, 'file'));

const tooManyBytes = ({bytes}: CheckoutBounds): string => aboveBounds(sizeText(bytes));

const aboveBounds = (most: string): string =>
	`it has more than ${most}, the most that a checkout may have: take "checkout" out of the prefetch of the route`;

const saidBy = (exit: GitExit): string =>
	exit.kind === 'exited' && exit.code !== 0 ? exit.stderr : '';

/** What a person has to do for each error message of git; the most specific first. */
const remedies: ReadonlyArray<readonly [RegExp, (work: Getting) => string]> = [
	[/exec: git: not found|exec: git: No such/i, () => 'git is not installed; install it'],
	[
		isNotThere,
		() =>
			'the pull request does not exist any more, or its commits are gone: look at the code host',
	],
	[
		/Authentication failed|could not read (?:Username|Password)|error: 403/i,
		({cli}) => `the login of "${cli}" cannot read the files of this repository: grant it access`,
	],
	[
		/repository .* not found|error: 404/i,
		({cli}) => `the repository does not exist, or the login of "${cli}" cannot read it: check both`,
	],
	[/error: 30\d/i, () => 'the code host says that the repository has moved: it is not followed'],
	[
		/invalid path/i,
		() => 'a path in it would leave the folder, or change what git itself does, which git refuses',
	],
];

/** The output of a git that succeeded. @throws SvcError `prefetch_failed` */
function succeeded(work: Getting, exit: GitExit): string {
	switch (exit.kind) {
		case 'exited': {
			if (exit.code === 0) {
				return exit.stdout;
			}

			const said = withoutToken(exit.stderr, work).trim();
			const [, remedy] = remedies.find(([pattern]) => pattern.test(said)) ?? [];
			const how = exit.code === null ? 'was ended by a signal' : `failed (exit ${exit.code})`;
			const reason = said === '' ? `git ${how}` : `git ${how}: ${said.slice(0, 2000)}`;
			throw failed(work, remedy ? `${remedy(work)}; ${reason}` : reason);
		}

		case 'timeout':
			throw failed(work, `git was not done within ${work.bounds.timeoutMs / 1000} s and was ended`);

		case 'above-bytes':
			throw failed(work, tooManyBytes(work.bounds));

		case 'too-much-output':
			throw failed(work, tooManyFiles(work.bounds));

		case 'aborted':
			throw failed(work, 'git was ended');

		case 'not-started':
			throw failed(work, `git cannot be started (${exit.code})`);
	}
}

/** Redacts the token, which a code host may echo. */
const withoutToken = (said: string, {token}: Pick<Getting, 'token'>): string =>
	[token, basic(token)].reduce((text, secret) => text.replaceAll(secret, '[redacted]'), said);

const basic = (token: string): string => Buffer.from(`x-access-token:${token}`).toString('base64');
