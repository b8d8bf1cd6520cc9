import type {JsonObject} from '../../../core/json.ts';

/** What the model of the demo says next. */
export type ModelAnswer =
	| {readonly text: string}
	| {readonly tool: string; readonly args: JsonObject; readonly slowly?: boolean}
	| {readonly refusal: string};

const review =
	'The change retries an upload that timed out up to three times, with a growing pause.\n\n' +
	'- `retry.ts`: the pause is not bounded; cap it at 30 s.\n' +
	'- The test covers two retries, not the third one that gives up.\n\n' +
	'Worth a look before merging: the retry also repeats requests that are not idempotent.';

/** The steps of a run: tools, then an answer. */
type Script = readonly ModelAnswer[];

const project = 'depot';

const getIssue: ModelAnswer = {tool: 'mcp__tracker__get_issue', args: {project, number: 94}};

const createIssue = (args: JsonObject): ModelAnswer => ({
	tool: 'mcp__tracker__create_issue',
	args: {project, ...args},
});

const filed: ModelAnswer = {text: 'The follow-up is filed.'};

/** By what the prompt says; the first that fits, and the last one fits everything. */
const scripts: ReadonlyArray<readonly [RegExp, Script]> = [
	[
		/sandbox/,
		[
			{tool: 'mcp__tracker__list_issues', args: {project: 'sandbox'}},
			{tool: 'mcp__tracker__delete_project', args: {project: 'sandbox'}},
			{text: 'The sandbox project is gone.'},
		],
	],
	[
		/follow-up.*restart/is,
		[
			getIssue,
			createIssue({
				title: 'Resume uploads after a restart',
				body: 'The offset is kept in memory only.\nWrite it down every 5 MB.',
				labels: ['uploads'],
				assignee: 'mona',
			}),
			filed,
		],
	],
	[
		/follow-up/i,
		[
			getIssue,
			createIssue({
				title: 'Bound the pause between retries',
				body: 'The pause doubles without end.\nCap it at 30 s.',
				labels: ['uploads'],
			}),
			filed,
		],
	],
	[
		/Upload in parallel/,
		[
			...Array.from({length: 6}, (_, index): ModelAnswer => ({
				tool: 'mcp__tracker__get_issue',
				args: {project, number: 88 + index},
				slowly: true,
			})),
			{text: 'Six issues touch this. Uploading in parallel breaks the order that #91 relies on.'},
		],
	],
	[
		/page of the site/,
		[
			{tool: 'mcp__notes__search_notes', args: {query: 'release'}},
			{
				tool: 'mcp__notes__publish_page',
				args: {note: 'release-checklist.md', title: 'How we release'},
			},
			{text: 'The page is up to date.'},
		],
	],
	[
		/Who is/,
		[
			{tool: 'mcp__crm__find_customer', args: {query: 'harbour'}},
			{text: 'Harbour Books, a customer since 2023. They ask for an invoice by post.'},
		],
	],
	[/announcement/, [{refusal: 'This model has no quota left'}]],
	[/Review (?:pull|merge)|Look again/, [{text: review}]],
	[
		/Triage/,
		[
			{tool: 'mcp__tracker__list_issues', args: {project, state: 'open'}},
			{text: 'Labels: bug, uploads. Likely a duplicate of #88: both fail above 100 MB.'},
		],
	],
	[
		/Why did/,
		[{text: 'The upload tests time out: the test server closes idle connections after 5 s.'}],
	],
	[/reports/, [{text: 'db-3 is low on disk space; nothing else stands out.'}]],
	[/paid|payment/i, [{text: 'One payment failed: the card of Harbour Books has expired.'}]],
	[/since yesterday/, [{text: 'Two pull requests wait for a review: #412 and #415.'}]],
	[/./s, [{text: 'One tag was removed; nothing that a reviewer has to look at.'}]],
];

/** The next step of a run, by its prompt and how many results of tools it has already. */
export function nextAnswer(prompt: string, results: number): ModelAnswer {
	const [, script = []] = scripts.find(([about]) => about.test(prompt)) ?? [];
	return script[results] ?? script.at(-1) ?? {text: ''};
}
