import type {JsonObject} from '../../source/core/json.ts';

/** One file of a pull request, as `pulls/N/files` lists it, and what git prints of it. */
export type PullFile = {
	readonly filename: string;
	readonly status: 'added' | 'modified' | 'removed' | 'renamed';
	readonly additions: number;
	readonly deletions: number;
	readonly previous_filename?: string;
	/** Absent of binary files, of those that were only renamed or made executable, and of very large ones. */
	readonly patch?: string;
	readonly printed: string | Buffer;
};

/** What goes wrong with every request about a pull request. */
export type Trouble =
	| {
			readonly status: number;
			readonly message: string;
			readonly headers?: Readonly<Record<string, string>>;
	  }
	/** Nothing comes. */
	| 'hang'
	/** The connection breaks in the middle of the body. */
	| 'cut'
	/** The repository has another name now. */
	| 'moved';

export type Pull = {
	readonly files: readonly PullFile[];
	/** What differs from an open pull request of a branch of the same repository. */
	readonly facts?: JsonObject;
	readonly trouble?: Trouble;
	/** A server of one's own that gives diffs of any size. */
	readonly isUnbounded?: true;
};

const hunk = (added: number) => `@@ -1,2 +1,${added + 1} @@`;

/** A file to which lines are added. */
export function edited(filename: string, lines: readonly string[] = ['new']): PullFile {
	const patch = [hunk(lines.length), ' first', '-old', ...lines.map(line => `+${line}`)].join('\n');
	return {
		filename,
		status: 'modified',
		additions: lines.length,
		deletions: 1,
		patch,
		printed: `diff --git a/${filename} b/${filename}\nindex 1111111..2222222 100644\n--- a/${filename}\n+++ b/${filename}\n${patch}\n`,
	};
}

/** A file of which the API gives no patch. */
const unpatched = (
	filename: string,
	status: PullFile['status'],
	more: Pick<PullFile, 'printed'> & Partial<PullFile>,
): PullFile => ({filename, status, additions: 0, deletions: 0, ...more});

const lineOf = (length: number) => 'x'.repeat(length);

const many = (count: number, lines: readonly string[]) =>
	Array.from({length: count}, (_, index) =>
		edited(`source/part-${String(index).padStart(4, '0')}.ts`, lines),
	);

const hugeLines = (megabytes: number) => Array<string>(megabytes * 10_000).fill(lineOf(99));

const hugeFile = (): PullFile => {
	const {printed} = edited('data/dump.sql', hugeLines(40));
	return unpatched('data/dump.sql', 'modified', {additions: 400_000, deletions: 1, printed});
};

const fewFiles = [edited('source/a.ts'), edited('source/b.ts', ['one', 'two'])];

/** The pull requests of `acme/api`, by what they are. Their numbers are their places, from 1 on. */
export const pulls: Readonly<Record<string, Pull>> = {
	small: {files: fewFiles},
	'3,000 files': {files: many(3000, ['a', 'b', 'c'])},
	'301 files': {files: many(301, ['a'])},
	'20,001 lines': {files: many(20, Array<string>(1001).fill('line'))},
	'1.2 MB': {files: many(12, Array<string>(1000).fill(lineOf(99)))},
	'binary files': {
		files: [
			unpatched('logo.png', 'modified', {
				printed:
					'diff --git a/logo.png b/logo.png\nindex 1111111..2222222 100644\nBinary files a/logo.png and b/logo.png differ\n',
			}),
			unpatched('font.woff2', 'added', {
				printed:
					'diff --git a/font.woff2 b/font.woff2\nnew file mode 100644\nindex 0000000..2222222\nBinary files /dev/null and b/font.woff2 differ\n',
			}),
		],
	},
	'one file of 40 MB': {files: [edited('README.md'), hugeFile()]},
	'40 MB, given whole': {files: [edited('README.md'), hugeFile()], isUnbounded: true},
	'deleted head branch': {files: fewFiles, facts: {head: {ref: 'gone', repo: null}}},
	closed: {files: fewFiles, facts: {state: 'closed'}},
	merged: {files: fewFiles, facts: {state: 'closed', merged: true}},
	'from a fork': {
		files: fewFiles,
		facts: {head: {ref: 'main', repo: {full_name: 'mallory/api', fork: true}}},
	},
	'from a fork that is gone': {files: fewFiles, facts: {head: {ref: 'main', repo: null}}},
	'renamed files': {
		files: [
			unpatched('new name.ts', 'renamed', {
				previous_filename: 'old.ts',
				printed:
					'diff --git a/old.ts b/new name.ts\nsimilarity index 100%\nrename from old.ts\nrename to new name.ts\n',
			}),
		],
	},
	'mode change': {
		files: [
			unpatched('run.sh', 'modified', {
				printed: 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n',
			}),
		],
	},
	'no newline at the end': {
		files: [
			{
				...edited('last.txt'),
				printed:
					'diff --git a/last.txt b/last.txt\nindex 1111111..2222222 100644\n--- a/last.txt\n+++ b/last.txt\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n\\ No newline at end of file\n',
			},
		],
	},
	'empty diff': {files: []},
	draft: {files: fewFiles, facts: {draft: true}},
	'not UTF-8': {
		files: [
			{
				...edited('latin1.txt'),
				printed: Buffer.from(
					'diff --git a/latin1.txt b/latin1.txt\n@@ -1 +1 @@\n-caf\u00E9\n+th\u00E9\u0000\n',
					'latin1',
				),
			},
		],
	},
	'login refused': {files: [], trouble: {status: 401, message: 'Bad credentials'}},
	'rate limited': {
		files: [],
		trouble: {
			status: 403,
			message: 'API rate limit exceeded for user ID 1.',
			headers: {'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2000000000'},
		},
	},
	'limited for asking too fast': {
		files: [],
		trouble: {
			status: 403,
			message: 'You have exceeded a secondary rate limit. Please wait a few minutes.',
			headers: {'retry-after': '60'},
		},
	},
	'not allowed': {
		files: [],
		trouble: {status: 403, message: 'Resource not accessible by personal access token'},
	},
	gone: {files: [], trouble: {status: 404, message: 'Not Found'}},
	'repository blocked': {files: [], trouble: {status: 451, message: 'Repository access blocked'}},
	'commits missing': {
		files: [],
		trouble: {
			status: 422,
			message:
				'Sorry, there was a problem generating this diff. The repository may be missing relevant data.',
		},
	},
	'server error': {files: [], trouble: {status: 500, message: 'Server Error'}},
	'bad gateway': {files: [], trouble: {status: 502, message: 'Bad Gateway'}},
	slow: {files: [], trouble: 'hang'},
	'cut off': {files: fewFiles, trouble: 'cut'},
	'repository moved': {files: fewFiles, trouble: 'moved'},
};

/** The number of a pull request of the table. */
export const numberOf = (name: string): number => Object.keys(pulls).indexOf(name) + 1;
