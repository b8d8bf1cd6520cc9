import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {prefetch} from '../../source/gateway/runs/prefetch.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {isOnPath, need} from '../helpers/need.ts';
import {startForgeApi} from './forge-api.ts';
import {numberOf, pulls} from './pulls.ts';
import {openReviews, type Reviews} from './reviews.ts';

let reviews: Reviews;

beforeAll(async () => {
	if (isOnPath('gh')) {
		reviews = await openReviews(asked => `Review ${asked}`);
	}
});

beforeEach(context => {
	need('gh', context);
});

afterAll(async () => reviews?.[Symbol.asyncDispose]());

test('an event becomes a review with the real gh: its diff is a second text, the answer a comment, which the next push edits', async () => {
	const first = await reviews.reviewOf(1);
	expect(first).toMatchObject({state: 'done', attempt: 1});
	expect(first.texts).toEqual(['Review acme/api#1: Change', expect.any(String)]);
	expect(first.diff).toBe(printedOf('small'));
	expect(first.asked).toEqual([
		'GET /repos/acme/api/pulls/1',
		'POST /repos/acme/api/issues/1/comments',
	]);
	expect(reviews.api.comments()).toEqual([{id: 1000, number: 1, text: 'Review 1'}]);

	const second = await reviews.reviewOf(1);
	expect(second.asked).toEqual([
		'GET /repos/acme/api/pulls/1',
		'PATCH /repos/acme/api/issues/comments/1000',
	]);
	expect(reviews.api.comments()).toEqual([{id: 1000, number: 1, text: 'Review 2'}]);
	expect(reviews.api.strange).toEqual([]);
});

const printedOf = (name: string): string =>
	(pulls[name]?.files ?? []).map(({printed}) => String(printed)).join('');

/** What becomes of each pull request that has a diff: all of it, unless a part is named. */
const read: Readonly<Record<string, RegExp | undefined>> = {
	small: undefined,
	'binary files': undefined,
	'deleted head branch': undefined,
	closed: undefined,
	merged: undefined,
	'from a fork': undefined,
	'from a fork that is gone': undefined,
	'renamed files': undefined,
	'mode change': undefined,
	'no newline at the end': undefined,
	draft: undefined,
	'repository moved': undefined,
	'empty diff': /^\(the diff is empty\)$/,
	'not UTF-8': /^diff --git a\/latin1\.txt [^]*\n-caf\uFFFD\n\+th\uFFFD\p{Cc}\n$/u,
	'40 MB, given whole':
		/^diff --git a\/README\.md [^]*the middle of the diff is left out; the whole has 40400\d+ bytes/,
};

test.each(Object.entries(read))(
	'%s: the agent reads the diff',
	{tags: ['slow']},
	async (name, part) => {
		const {state, attempt, diff} = await reviews.reviewOf(numberOf(name));
		expect({state, attempt}).toEqual({state: 'done', attempt: 1});
		const isWhole = diff === printedOf(name);
		expect((part ? part.test(diff ?? '') : isWhole) || diff?.slice(0, 300)).toBe(true);
	},
);

/** Diffs that are refused whole. */
const byFile: Readonly<Record<string, {readonly pages: number; readonly diff: RegExp}>> = {
	'3,000 files': {
		pages: 30,
		diff: /^diff --git a\/source\/part-0000\.ts [^]*the middle of the diff is left out[^]*\+\+\+ b\/source\/part-2999\.ts\n@@ -1,2 \+1,4 @@\n first\n-old\n\+a\n\+b\n\+c\n$/,
	},
	'301 files': {pages: 4, diff: /^diff --git [^]* b\/source\/part-0300\.ts\n[^]*\n\+a\n$/},
	'20,001 lines': {pages: 1, diff: /^(?:diff --git [^]*?(?:\n\+line){1001}\n){20}$/},
	'1.2 MB': {pages: 1, diff: /the middle of the diff is left out; the whole has 12\d{5} bytes/},
	'one file of 40 MB': {
		pages: 1,
		diff: /^diff --git a\/README\.md b\/README\.md\n--- a\/README\.md\n\+\+\+ b\/README\.md\n[^]*\ndiff --git a\/data\/dump\.sql b\/data\/dump\.sql\nmodified, \+400000 -1 lines, no patch listed\n$/,
	},
};

test.each(Object.entries(byFile))(
	'%s: the code host refuses the whole diff, and it is made of the list of files',
	{tags: ['slow']},
	async (name, {pages, diff}) => {
		const {state, attempt, note, ...got} = await reviews.reviewOf(numberOf(name));
		expect({state, attempt}).toEqual({state: 'done', attempt: 1});
		expect(note).toMatch(
			/, made of the list of its files, since it is too large to be given whole$/,
		);
		expect(got.texts[1]).toMatch(/^[^\n]*, made of the list of its files, /);
		expect(diff.test(got.diff ?? '') || got.diff?.slice(0, 300)).toBe(true);
		expect(got.diff?.length).toBeLessThanOrEqual(200_000);
		expect(got.asked.filter(path => path.includes('/files'))).toHaveLength(pages);
	},
);

test('a patch of the list is written as git would: names with quotes and line breaks are quoted, new and removed files come from and go to /dev/null', async () => {
	await using own = await openReviews();
	const file = {
		status: 'modified',
		additions: 1,
		deletions: 1,
		patch: '@@ -1 +1 @@\n-a\n+b',
		printed: '',
	} as const;
	own.api.serve([
		{
			files: [
				{...file, filename: 'with "quotes"\nand\\.ts'},
				{...file, filename: 'new.ts', status: 'added'},
				{...file, filename: 'old.ts', status: 'removed'},
				{...file, filename: 'b.ts', status: 'renamed', previous_filename: 'a.ts'},
				...Array.from({length: 300}, () => ({...file, filename: 'z'})),
			],
		},
	]);
	const {diff = ''} = await own.reviewOf(1);
	expect(diff.slice(0, diff.indexOf('diff --git a/z'))).toBe(
		[
			String.raw`diff --git "a/with \"quotes\"\nand\\.ts" "b/with \"quotes\"\nand\\.ts"`,
			String.raw`--- "a/with \"quotes\"\nand\\.ts"`,
			String.raw`+++ "b/with \"quotes\"\nand\\.ts"`,
			'@@ -1 +1 @@\n-a\n+b',
			'diff --git a/new.ts b/new.ts\n--- /dev/null\n+++ b/new.ts\n@@ -1 +1 @@\n-a\n+b',
			'diff --git a/old.ts b/old.ts\n--- a/old.ts\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b',
			'diff --git a/a.ts b/b.ts\n--- a/a.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-a\n+b\n',
		].join('\n'),
	);
});

/** Diffs that cannot be got, with what the run says. */
const refused: Readonly<Record<string, RegExp>> = {
	'login refused': /HTTP 401: Bad credentials .*gh auth login/,
	'rate limited': /HTTP 403: API rate limit exceeded/,
	'limited for asking too fast': /HTTP 403: .*secondary rate limit/,
	'server error': /HTTP 500/,
	'bad gateway': /HTTP 502/,
	'cut off': /unexpected EOF/,
	gone: /the pull request does not exist, or the login of "gh" cannot read it: check both; .*HTTP 404/,
	'not allowed':
		/the login of "gh" cannot read pull requests of this repository: grant it access; .*HTTP 403/,
	'repository blocked': /the code host refuses this diff: see its message; .*HTTP 451/,
	'commits missing': /the code host refuses this diff: see its message; .*HTTP 422/,
};

test.each(Object.entries(refused))(
	'%s: the model is not asked, and the run is tried again',
	{tags: ['slow']},
	async (name, expected) => {
		const {state, attempt, error, texts} = await reviews.reviewOf(numberOf(name));
		expect({state, attempt, texts}).toEqual({state: 'queued', attempt: 1, texts: []});
		expect(error).toMatch(expected);
		expect(error).toMatch(/^Cannot get the diff of acme\/api#\d+: /);
	},
);

test('every pull request of the table has a row here', () => {
	expect(
		[...Object.keys(read), ...Object.keys(byFile), ...Object.keys(refused), 'slow'].toSorted(),
	).toEqual(Object.keys(pulls).toSorted());
});

test('the real gh is ended when the code host does not answer within 60 s', async () => {
	await using api = await startForgeApi();
	const clock = createFakeClock();
	const failure = prefetch(
		{
			plan: {
				prompt: 'x',
				target: {kind: 'log', extra: {}},
				skills: [],
				prefetch: {
					what: ['diff'],
					pullRequest: {host: 'github', repo: 'acme/api', number: numberOf('slow')},
				},
			},
		},
		{
			clock,
			forge: {cli: 'gh'},
			environments: {own: api.environment, profile: {}},
			signal: new AbortController().signal,
		},
	).catch((error: unknown) => error);
	await api.hung;
	clock.advance(60_000);

	expect(await failure).toMatchObject({
		code: 'prefetch_failed',
		message: expect.stringContaining('"gh" was not done within 60 s and was ended'),
	});
});
