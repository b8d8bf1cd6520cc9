import {type Command, InvalidArgumentError, Option} from 'commander';
import type {ApprovalScope} from '../../core/approval.ts';
import {SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import type {Context} from '../context.ts';
import {openRecords, requireGateway} from '../gateway-access.ts';
import {listOption, numberOption, wordOption} from '../options.ts';
import {printTable} from '../print-table.ts';
import {printJson, printLines} from '../print.ts';

const oneApproval = numberOption(1, Number.MAX_SAFE_INTEGER);

const reference = ['<id>', 'number of the request', oneApproval] as const;

const scopes: readonly ApprovalScope[] = ['once', 'run', 'process', 'always'];

type Json = {readonly json?: boolean};

/** `svc approvals list|show|allow|deny|rules|accept|revoke`. @see manual/commands.md, manual/approvals.md */
export function addApprovalCommands(program: Command, context: Context): void {
	const group = program
		.command('approvals')
		.description('tool calls and forms that wait for a person, and standing rules');
	addReading(group, context);
	addAnswers(group, context);
	addRules(group, context);
}

function addReading(group: Command, context: Context): void {
	group
		.command('list')
		.description('list what waits for a person, oldest first')
		.option('--settled', 'list what was settled instead, newest first')
		.option('--limit <n>', 'at most this many (1 to 1000)', numberOption(1, 1000), 200)
		.option('--json', 'print JSON')
		.action(async ({settled, limit, json}: Json & {settled?: boolean; limit: number}) => {
			await using records = await openRecords(context);
			const state = settled ? 'settled' : 'waiting';
			const approvals = await records.approvals.list({state, limit});
			if (json) {
				const {approvalJson} = await import('../approvals/approval-json.ts');
				printJson(context, approvals.map(approvalJson));
				return;
			}

			const {settledTable, waitingTable} = await import('../approvals/describe-approval.ts');
			await printTable(
				context,
				settled ? settledTable(approvals) : waitingTable(approvals, context.clock.now()),
			);
		});

	group
		.command('show')
		.description('show one request with its arguments')
		.argument(...reference)
		.option('--json', 'print JSON')
		.action(async (id: number, {json}: Json) => {
			await using records = await openRecords(context);
			const approval = await records.approvals.get(id);
			if (!approval) {
				throw new SvcError(
					'approval_not_found',
					`Cannot find approval ${id}: see "svc approvals list"`,
				);
			}

			if (json) {
				const {approvalJson} = await import('../approvals/approval-json.ts');
				printJson(context, approvalJson(approval));
			} else {
				const {describeApproval} = await import('../approvals/describe-approval.ts');
				printLines(context, describeApproval(approval, context.clock.now()));
			}
		});
}

function addAnswers(group: Command, context: Context): void {
	group
		.command('allow')
		.description('allow a call that waits; the first answer wins')
		.argument(...reference)
		.addOption(
			new Option('--for <scope>', 'this call, its run, until svc stops, or 30 days')
				.choices(scopes)
				.default('once'),
		)
		.option(
			'--args <which>',
			'arguments that a rule covers: "any", "exact", or names of those that must be the same',
			listOption,
		)
		.option(
			'--when <what>',
			'what a lasting rule compares: "exact", or KEY=VALUE, repeated; a folder ends with a slash: path=~/notes/',
			whenOption,
		)
		.option(
			'--tool <name>',
			'the name of the tool, which a lasting rule for what may destroy needs',
		)
		.option('--yes', 'do not show the request and ask')
		.option('--json', 'print JSON')
		.action(
			async (
				id: number,
				{
					for: scope,
					args,
					when,
					tool,
					yes = false,
					json = false,
				}: Json & {
					for: ApprovalScope;
					args?: readonly string[];
					when?: WrittenWhen;
					tool?: string;
					yes?: boolean;
				},
			) => {
				const {allow} = await import('../approvals/answer.ts');
				const which = when === 'exact' ? when : args && whichArgs(args);
				await allow(context, {
					id,
					scope,
					...(which && {args: which}),
					...(when && when !== 'exact' && {when}),
					...(tool !== undefined && {typedName: tool}),
					yes,
					json,
				});
			},
		);

	group
		.command('deny')
		.description('deny a call or a form that waits')
		.argument(...reference)
		.option('--reason <text>', 'what the agent is told', wordOption)
		.option('--json', 'print JSON')
		.action(async (id: number, {reason, json = false}: Json & {reason?: string}) => {
			const {deny} = await import('../approvals/answer.ts');
			await deny(context, {id, ...(reason !== undefined && {reason}), json});
		});
}

type WrittenWhen = 'exact' | Readonly<Record<string, JsonValue>>;

/** A parser for `exact`, or for repeated `key=value`: values are JSON, or text. */
function whenOption(text: string, previous?: WrittenWhen): WrittenWhen {
	const at = text.indexOf('=');
	if (text === 'exact' && previous === undefined) {
		return text;
	}

	if (at < 1 || typeof previous === 'string') {
		throw new InvalidArgumentError('Use exact, or KEY=VALUE.');
	}

	return {...previous, [text.slice(0, at)]: valueOf(text.slice(at + 1))};
}

function valueOf(text: string): JsonValue {
	try {
		const value: JsonValue = JSON.parse(text);
		return value;
	} catch {
		return text;
	}
}

function whichArgs(names: readonly string[]): 'any' | 'exact' | readonly string[] {
	const [first, ...others] = names;
	return others.length === 0 && (first === 'any' || first === 'exact') ? first : names;
}

function addRules(group: Command, context: Context): void {
	group
		.command('rules')
		.description('list the standing rules')
		.option('--json', 'print JSON')
		.action(async ({json}: Json) => {
			await using records = await openRecords(context);
			const rules = await records.approvals.rules();
			if (json) {
				printJson(context, rules);
			} else {
				const {rulesTable} = await import('../approvals/describe-rules.ts');
				await printTable(context, rulesTable(rules));
			}
		});

	group
		.command('accept')
		.description(
			'take the present definition of a tool for the one that a rule of config.yaml is for',
		)
		.argument('<rule>', 'number of the rule', oneApproval)
		.option('--yes', 'do not ask')
		.option('--json', 'print JSON')
		.action(async (id: number, {yes = false, json = false}: Json & {yes?: boolean}) => {
			const {acceptRule} = await import('../approvals/accept-rule.ts');
			await acceptRule(context, {id, yes, json});
		});

	group
		.command('revoke')
		.description('end a standing rule')
		.argument('<rule>', 'number of the rule', oneApproval)
		.option('--json', 'print JSON')
		.action(async (id: number, {json}: Json) => {
			const gateway = await requireGateway(context);
			if (!(await gateway.revokeApprovalRule(id))) {
				throw new SvcError(
					'approval_rule_not_found',
					`Cannot revoke rule ${id}: there is none, see "svc approvals rules"`,
				);
			}

			if (json) {
				printJson(context, {revoked: id});
			} else {
				printLines(context, [`Rule ${id} is revoked`]);
			}
		});
}
