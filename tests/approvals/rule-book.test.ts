import {mkdir, mkdtemp, realpath, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createRuleBook} from '../../source/approvals/rule-book.ts';
import {createPresentTools} from '../../source/approvals/terms.ts';
import type {ApprovalRule} from '../../source/core/approval.ts';
import {silentLogger} from '../../source/core/log.ts';
import {toolPlace} from '../../source/core/tool.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createMemoryKeeper, makeAsked, makeCall, startMs} from './queue-fixture.ts';

test.for([
	['ends', (book: ReturnType<typeof createRuleBook>) => book.forget([1])],
	[
		'is for another definition',
		(book: ReturnType<typeof createRuleBook>, rule: ApprovalRule) =>
			book.change({...rule, definition: 'd2'}),
	],
	['stands there', undefined],
] as const)(
	'a rule that %s when the look at a path is over: that decides',
	async ([, meanwhile]) => {
		const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-book-')));
		await mkdir(join(folder, 'notes'));
		const tool = makeAsked({inputSchema: {type: 'object', properties: {path: {}}}});
		const below = join(folder, 'notes');
		const rule: ApprovalRule = {
			id: 1,
			profile: tool.profile,
			...toolPlace(tool.from),
			tool: tool.tool,
			definition: tool.definition,
			scope: 'always',
			when: [{key: 'path', below, real: below}],
			createdAt: startMs,
			createdBy: 'cli (alice)',
			uses: 0,
		};
		const book = createRuleBook(
			{
				clock: createFakeClock(startMs),
				emit() {},
				log: silentLogger,
				keeper: createMemoryKeeper().keeper,
				present: createPresentTools(),
				closed: [],
			},
			[rule],
		);

		const found = book.find(makeCall({tool, args: {path: join(below, 'a.md')}}));
		meanwhile?.(book, rule);

		expect((await found)?.id).toBe(meanwhile ? undefined : 1);
		await rm(folder, {recursive: true});
	},
);
