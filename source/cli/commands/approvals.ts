import {type Command, InvalidArgumentError, Option} from 'commander';
import type {ApprovalScope} from '../../core/approval.ts';
import {jsonOrText, type JsonValue} from '../../core/json.ts';
import {approvalNoun, printedApprovals} from '../../nouns/approval/approval.ts';
import {waitAct} from '../../nouns/approval/approval.ts';
import {requestNoun} from '../../nouns/approval/request.ts';
import {printedRules, ruleActs, ruleNoun} from '../../nouns/approval/rule.ts';
import {approvalJson} from '../approvals/approval-json.ts';
import type {Context} from '../console/context.ts';
import {
	listOption,
	numberArgument,
	numberOption,
	wordOption,
	jsonOption,
	loads,
	type Json,
} from '../console/options.ts';
import {printJson} from '../console/print.ts';
import {gatewayAsPort} from '../home/gateway-access.ts';
import {openHome} from '../home/open-home.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addShow, printList} from '../nouns/noun-commands.ts';

const reference = ['<id>', 'number of the request', numberArgument] as const;

const scopes: readonly ApprovalScope[] = ['once', 'run', 'process', 'always'];

/** `svc approvals list|show|wait|allow|deny|fill|rules|accept|revoke`. @see manual/commands.md, manual/approvals.md */
export function addApprovalCommands(program: Command, context: Context): void {
	const group = program
		.command('approvals')
		.description('tool calls and forms that wait for a person, and standing rules')
		// No suggestion for a mistyped word: it could be "allow".
		.showSuggestionAfterError(false);
	addReading(group, context);
	addAnswers(group, context);
	addRules(group, context);
}

type ListFlags = {readonly settled?: boolean; readonly all?: boolean; readonly limit: number};

const everyState = ['waiting', 'settled'] as const;

function addReading(group: Command, context: Context): void {
	group
		.command('list')
		.description('list requests that wait for a person, oldest first')
		.addOption(
			new Option('--settled', 'list settled requests instead, newest first').conflicts('all'),
		)
		.option('--all', 'list waiting requests, then settled ones')
		.option('--limit <n>', 'at most this many (1 to 1000)', numberOption(1, 1000), 200)
		.option(...jsonOption)
		.action(async ({settled, all, limit, json}: Json & ListFlags) => {
			await using home = await openHome(context, 'read');
			const states = all ? everyState : settled ? (['settled'] as const) : (['waiting'] as const);
			const lists = await Promise.all(
				states.map(async state => ({
					state,
					approvals: await home.listApprovals({state, limit}),
				})),
			);
			if (json) {
				printJson(
					context,
					lists.flatMap(({approvals}) => approvals.map(approval => approvalJson(approval))),
				);
				return;
			}

			for (const {state, approvals} of lists) {
				const isElsewhere = approvals.some(({node}) => node !== undefined);
				const printed = printedApprovals[state];
				const columns = printed.columns.filter(key => key !== 'node' || isElsewhere);
				const items = approvals.map(approval => ({kind: state, approval}));
				const noun = {...approvalNoun, printed: {...printed, columns}};
				// oxlint-disable-next-line no-await-in-loop -- one below the other
				await printList(context, noun, {items});
			}
		});

	addShow(group, context, {
		noun: requestNoun,
		says: 'show one request with its arguments',
		async read(id) {
			await using home = await openHome(context, 'read');
			const item = await home.getApproval(Number(id));
			if (!item) {
				return undefined;
			}

			const {searchEvent} = await import('../../core/approvals/from-event.ts');
			const fromEvent = await searchEvent(item, async delivery => home.getDelivery(delivery));
			const rules = await home.listApprovalRules();
			return {
				item,
				known: {rules, fromEvent},
				json: approvalJson(item, fromEvent),
			};
		},
	});
}

type AllowFlags = Json & {
	readonly for: ApprovalScope;
	readonly args?: readonly string[];
	readonly when?: WrittenWhen;
	readonly tool?: string;
	readonly yes?: boolean;
};

function addAnswers(group: Command, context: Context): void {
	const open = async () => gatewayAsPort(context);
	addActs(group, context, {noun: requestNoun, acts: [waitAct], open});
	group
		.command('allow')
		.description('allow a waiting call; the first answer wins')
		.argument(...reference)
		.addOption(
			new Option('--for <scope>', 'this call, its run, until svc stops, or 30 days')
				.choices(scopes)
				.default('once'),
		)
		.option(
			'--args <which>',
			'arguments that a rule until the end of the run or of svc covers: "any", "exact", or names of those that must be the same; for a rule that lasts see --when',
			listOption,
		)
		.option(
			'--when <what>',
			'what a lasting rule compares, for --for always in runs of a job or a route: "exact", or KEY=VALUE, repeated; a folder ends with a slash: path=~/notes/ (for others see --args)',
			whenOption,
		)
		.option(
			'--tool <name>',
			'name of the tool; required for a lasting rule for a tool that may destroy',
		)
		.option('--yes', 'no effect on a terminal; without one nothing is asked anyway')
		.option(...jsonOption)
		.action(async (id: number, {for: scope, args, when, tool, ...flags}: AllowFlags) => {
			const {allow} = await import('../approvals/answer.ts');
			await allow(context, id, {
				...flags,
				scope,
				args: when === 'exact' ? when : args && whichArgs(args),
				when: when === 'exact' ? undefined : when,
				typedName: tool,
			});
		});

	group
		.command('deny')
		.description('deny a waiting call or form')
		.argument(...reference)
		.option('--reason <text>', 'reason that the agent reads', wordOption)
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../approvals/answer.ts')).deny));

	group
		.command('fill')
		.description('fill in a waiting form, field by field, review it and send it')
		.argument(...reference)
		.option(
			'--values <json>',
			'fields as a JSON object: the answer without a terminal, the first values with one',
			wordOption,
		)
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../approvals/fill.ts')).fillForm));
}

type WrittenWhen = 'exact' | Readonly<Record<string, JsonValue>>;

/** A parser for `exact`, or for repeated `key=value`: values are JSON or text. */
function whenOption(text: string, previous?: WrittenWhen): WrittenWhen {
	const at = text.indexOf('=');
	if (text === 'exact' && previous === undefined) {
		return text;
	}

	if (at < 1 || typeof previous === 'string') {
		throw new InvalidArgumentError('Use exact, or KEY=VALUE.');
	}

	return {...previous, [text.slice(0, at)]: jsonOrText(text.slice(at + 1))};
}

function whichArgs(names: readonly string[]): 'any' | 'exact' | readonly string[] {
	const [first, ...others] = names;
	return others.length === 0 && (first === 'any' || first === 'exact') ? first : names;
}

function addRules(group: Command, context: Context): void {
	group
		.command('rules')
		.description('list the standing rules')
		.option(...jsonOption)
		.action(async ({json}: Json) => {
			await using home = await openHome(context, 'read');
			const rules = await home.listApprovalRules();
			if (json) {
				printJson(context, rules);
			} else {
				await printList(
					context,
					{...approvalNoun, ...printedRules},
					{items: rules.map(rule => ({kind: 'rule', rule}))},
				);
			}
		});

	group
		.command('accept')
		.description('accept the present definition of a tool for a rule of config.yaml')
		.argument('<rule>', 'number of the rule', numberArgument)
		.option('--yes', 'do not ask')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../approvals/accept-rule.ts')).acceptRule));

	addActs(group, context, {
		noun: ruleNoun,
		acts: ruleActs,
		list: 'rules',
		open: async () => gatewayAsPort(context),
	});
}
