import {readFileSync} from 'node:fs';

export type GithubExample = {
	/** The event type. */
	readonly name: string;
	// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
	readonly examples: readonly any[];
};

/** Payloads that GitHub has sent, by event. */
export const githubExamples: readonly GithubExample[] = JSON.parse(
	readFileSync(
		new URL(import.meta.resolve('@octokit/webhooks-examples/package.json')).pathname.replace(
			'package.json',
			'api.github.com/index.json',
		),
		'utf8',
	),
);
