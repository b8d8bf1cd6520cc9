import type {Approval, ApprovalScope} from '../../core/approval.ts';
import {type FromEvent, searchEvent} from '../../core/approvals/from-event.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import type {FormState} from '../forms/form.ts';
import type {Host} from '../shell/shell.ts';
import type {LoadSource} from '../state/source.ts';
import type {Size} from '../state/view.ts';
import type {RuleAnswer, RuleChoice} from './rule-step.ts';
import type {SeenParts} from './seen-rows.ts';

/** What the sheet asks for now. */
export type SheetStep =
	| {readonly kind: 'choose'}
	/** The tool's name is typed before `scope` is allowed. */
	| {
			readonly kind: 'name';
			readonly scope: ApprovalScope;
			/** What the rule covers that is stored then. */
			readonly rule?: RuleAnswer;
			readonly text: LineText;
	  }
	/** A rule is put together before it is stored. */
	| (RuleChoice & {readonly kind: 'rule'; readonly cursor: number})
	/** The lines that a person writes into the configuration: no face may make this rule. */
	| {readonly kind: 'by-hand'}
	/** What the agent is told. */
	| {readonly kind: 'reason'; readonly text: LineText}
	/** Everything that waits is denied with one more key. */
	| {
			readonly kind: 'deny-all';
			/** What was filled in until then. */
			readonly form?: FormState;
	  }
	| {readonly kind: 'form'; readonly form: FormState};

/** The sheet that a person decides on. One at a time. */
export type Sheet = {
	/** `Approval.id`. */
	readonly id: number;
	readonly step: SheetStep;
	/** The first row that is shown. */
	readonly top: number;
	/** What of it has been on the screen. */
	readonly seen: SeenParts;
	/** All of it has been opened in the pager. */
	readonly wasPaged: boolean;
	/** Why the last key that would have allowed it did not; until another is pressed. */
	readonly refused?: Safe | undefined;
	/** `Approval.id` of the one request that a pane opened a sheet for: once it is answered, the person is back there. Absent: what waits comes one after the other. */
	readonly only?: number;
};

/** A sheet as it is opened. */
export const newSheet = (id: number, step: SheetStep, only?: number): Sheet => ({
	id,
	step,
	top: 0,
	seen: {},
	wasPaged: false,
	...(only !== undefined && {only}),
});

/** What the guard calls a sheet as it is shown: anything else has to be drawn anew before a key may allow. */
export const sheetName = ({id, step}: Sheet, {columns, rows}: Size): string =>
	`${id} ${step.kind} ${step.kind === 'form' && step.form.editing ? 'typing ' : ''}${columns}x${rows}`;

/** The scopes that are offered for a call; what cannot be shown whole is allowed once at most. */
export const offeredScopes = (approval: Approval, isWhole: boolean): ReadonlySet<ApprovalScope> =>
	approval.kind === 'form' ? new Set() : new Set(isWhole ? approval.scopes : (['once'] as const));

/** Which arguments of a request that waits stand in its event; the key is its number. */
const eventSearches: LoadSource<readonly FromEvent[]> = {
	async load(port, key) {
		const approval = port.getState().approvals.find(({id}) => String(id) === key);
		return approval ? searchEvent(approval, async id => port.getDelivery(id)) : [];
	},
};

/** Begins to look for the arguments of a request in its event, where it has one. */
export const lookIntoEvent = (
	{loader}: Host,
	{id, kind, delivery}: Pick<Approval, 'id' | 'kind' | 'delivery'>,
): void => {
	if (kind === 'tool' && delivery !== undefined) {
		loader(eventSearches).want(String(id), {kind: 'steady', ms: 0});
	}
};

/** What became of the search for a request. */
type InEvent = {
	readonly fromEvent: readonly FromEvent[];
	/** It has not ended: what it finds is to be seen before anything is allowed. */
	readonly isLooking: boolean;
};

const nothing: readonly FromEvent[] = [];

/** What was found for the request; nothing before, and where it could not be looked for. */
export function foundInEvent({loader}: Host, id: number): InEvent {
	const loaded = loader(eventSearches).get();
	const isOfIt = loaded.key === String(id);
	return {
		fromEvent: isOfIt && loaded.status === 'ready' ? loaded.value : nothing,
		isLooking: isOfIt && loaded.status === 'loading',
	};
}
