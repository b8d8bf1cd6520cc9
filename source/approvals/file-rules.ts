import type {ApprovalRule, FileRule} from '../core/approval.ts';
import type {ApprovalKeeper, NewRule} from '../core/approvals/keeper.ts';
import {resolvedKeys} from '../core/approvals/rule-keys.ts';
import {SvcError, messageOf} from '../core/errors.ts';
import {jsonHash, parsedJson, type JsonValue} from '../core/json.ts';
import {createMutex} from '../core/mutex.ts';
import {toolPlace, type AskedTool, type ToolFrom} from '../core/tool.ts';
import type {World} from '../core/world.ts';
import type {RulesOfFile} from './approvals.ts';
import type {RuleBook} from './rule-book.ts';
import {isUnseen} from './rules.ts';
import type {PresentTools} from './terms.ts';

/** The rules of `config.yaml`. Each entry is stored as a rule, which is bound to the definition that its tool has when it is first seen. */
export type FileRules = {
	/** Replaces the entries; removed ones allow nothing once this returns. Never rejects. */
	set(file: RulesOfFile): Promise<void>;
	/** Binds entries that wait for this tool. Never rejects. */
	met(tool: AskedTool): Promise<void>;
	/** Binds entries to present tools; to be called after the tools of a server changed. Never rejects. */
	lookAgain(): Promise<void>;
	/** Stores missing entries again; to be called after other gateways changed rules. Never rejects. */
	keepAgain(): Promise<void>;
	/** @see Approvals.acceptRule */
	accept(id: number, definition: string): Promise<ApprovalRule | undefined>;
};

export function createFileRules(
	world: Pick<World, 'clock' | 'log'> & {
		readonly keeper: Pick<ApprovalKeeper, 'addRule' | 'changeRule' | 'removeRules'>;
		readonly book: RuleBook;
		readonly present: PresentTools;
		/** Called when a rule was bound to a tool, and so may allow calls from now on. */
		readonly onBound: (id: number) => void;
	},
): FileRules {
	const {clock, log, keeper, book, present, onBound} = world;
	const oneByOne = createMutex();
	let written: ReadonlyMap<string, FileRule> = new Map();

	const attempt = async (work: () => Promise<void>) =>
		oneByOne(work).catch((error: unknown) => {
			const facts = {error: messageOf(error)};
			log.error('Cannot keep the approval rules of config.yaml: calls ask', facts);
		});

	/** Binds a rule to a tool. The definition is stored before the rule allows anything. */
	const bind = async (rule: ApprovalRule, tool: AskedTool) => {
		const entry = written.get(rule.file?.entry ?? '');
		const keys = entry && (await resolvedKeys(entry.when ?? []));
		if (!entry || !keys || 'unclear' in keys) {
			return undefined;
		}

		const {id, uses, usedAt, problem: _, present: __, ...kept} = rule;
		const {tool: own, definition} = tool;
		const next: NewRule = {
			...placed(kept, tool.from),
			tool: own,
			definition: entry.definition ?? definition,
			...(entry.when && {when: [...keys.keys]}),
		};
		await keeper.changeRule(id, next);
		const bound = {...next, id, uses, ...(usedAt !== undefined && {usedAt})};
		book.change(bound);
		onBound(id);
		return bound;
	};

	const bindNew = async (find: (rule: ApprovalRule) => AskedTool | undefined) => {
		for (const rule of book.ofFiles().filter(({definition}) => definition === '')) {
			const tool = find(rule);
			const isGiven = written.get(rule.file?.entry ?? '')?.definition !== undefined;
			// The author of the entry did not know the changed tool, so it is not bound.
			if (tool && (isGiven || !tool.changed)) {
				// oxlint-disable-next-line no-await-in-loop -- each is a write of its own
				await bind(rule, tool);
			}
		}
	};

	const bindPresent = async () =>
		bindNew(rule => present.named(rule.profile, rule.file?.name ?? ''));

	const keepWritten = async () => {
		for (const [entry, rule] of written) {
			const before = book.ofFiles().find(({file}) => file?.entry === entry);
			if (!before) {
				const made = newRule(rule, {entry, at: clock.now()});
				// oxlint-disable-next-line no-await-in-loop -- they get their numbers in the order of the file
				book.add({...made, id: await keeper.addRule(made), uses: 0});
			} else if (before.file && before.file.place !== rule.place) {
				book.change({...before, file: {...before.file, place: rule.place}});
			}
		}

		await bindPresent();
	};

	return {
		set({rules, isWhole}) {
			written = new Map(rules.map(rule => [entryOf(rule), rule]));
			book.setEntries(new Set(written.keys()));
			return attempt(async () => {
				const gone = book.ofFiles().filter(({file}) => !written.has(file?.entry ?? ''));
				if (isWhole && gone.length > 0) {
					book.forget(gone.map(({id}) => id));
					await keeper.removeRules(gone.map(({id}) => id));
				}

				await keepWritten();
			});
		},
		keepAgain: async () => attempt(keepWritten),
		async met(tool) {
			if (book.ofFiles().some(rule => isUnseen(rule, {tool, args: null}))) {
				await attempt(async () =>
					bindNew(rule => (isUnseen(rule, {tool, args: null}) ? tool : undefined)),
				);
			}
		},
		async lookAgain() {
			if (book.ofFiles().length > 0) {
				book.tell();
				await attempt(bindPresent);
			}
		},
		accept: async (id, definition) =>
			oneByOne(async () => {
				const rule = book.all().find(one => one.id === id);
				if (!rule) {
					return undefined;
				}

				const tool = rule.file && present.named(rule.profile, rule.file.name);
				const given = written.get(rule.file?.entry ?? '')?.definition;
				const problem = acceptProblem(rule, tool, {definition, given});
				const accepted = problem === undefined && tool ? await bind(rule, tool) : undefined;
				if (!accepted) {
					const why = problem ?? 'it cannot be told where its folder leads to';
					const text = `Cannot accept the definition of rule ${id}: ${why}`;
					throw new SvcError('approval_invalid', text);
				}

				return accepted;
			}),
	};
}

/** The rule with the server and endpoint of its tool; a built-in tool has neither. */
function placed(rule: NewRule, from: ToolFrom): NewRule {
	const {server: _, endpoint: __, ...unplaced} = rule;
	return from.kind === 'server' ? {...rule, ...toolPlace(from)} : unplaced;
}

function acceptProblem(
	{file}: ApprovalRule,
	tool: AskedTool | undefined,
	{definition, given}: {readonly definition: string; readonly given: string | undefined},
): string | undefined {
	if (!file) {
		return 'it does not stand in a file, and ends when its tool changes';
	}

	if (!tool) {
		return 'its tool is not there now, see "svc mcp list"';
	}

	if (tool.definition !== definition) {
		return 'its tool is defined otherwise by now: look at it again';
	}

	return given === undefined || given === definition
		? undefined
		: `${file.place} says "definition": write the new one there`;
}

/** Identifies an entry by its content, independently of its position in the file. */
const entryOf = ({owner, profile, name, when, definition}: FileRule): string =>
	jsonHash(plain({owner, profile, name, when, definition}));

/** `value` without members that are `undefined`. */
const plain = (value: object): JsonValue => parsedJson(JSON.stringify(value)) ?? null;

const newRule = (
	{owner, profile, name, when, place}: FileRule,
	{entry, at}: {readonly entry: string; readonly at: number},
): NewRule => ({
	profile,
	server: '',
	tool: '',
	endpoint: '',
	definition: '',
	scope: 'always',
	owner,
	...(when && {when: [...when]}),
	file: {name, entry, place},
	createdAt: at,
	createdBy: place,
});
