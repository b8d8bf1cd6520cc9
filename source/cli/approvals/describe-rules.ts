import type {ApprovalRule} from '../../core/approval.ts';
import {keysText} from '../../core/approvals/rule-keys.ts';
import {quotedName} from '../../core/quoted-name.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {Table} from '../console/print-table.ts';

/** The standing rules as a table; under each that allows nothing now the reason. */
export const rulesTable = (rules: readonly ApprovalRule[]): Table => ({
	header: [
		'RULE',
		'PROFILE',
		'SERVER',
		'TOOL',
		'RUNS OF',
		'DEFINITION',
		'ARGUMENTS',
		'HOLDS',
		'USES',
		'LAST USED',
		'BY',
	],
	rows: rules.map(rule => [
		String(rule.id),
		rule.profile,
		rule.server ?? '(built in)',
		quotedName(rule.tool || (rule.file?.name ?? '')),
		rule.owner ? `${rule.owner.kind} ${quotedName(rule.owner.name)}` : 'all',
		rule.definition === '' ? '-' : `sha256:${rule.definition.slice(0, 12)}`,
		ruleArguments(rule),
		reachOf(rule),
		String(rule.uses),
		rule.usedAt === undefined ? 'never' : printableTime(rule.usedAt),
		rule.createdBy,
	]),
	below: rules.map(({problem}) => problem && `allows nothing: ${problem}`),
	empty:
		'No rules: "svc approvals allow ID --for run" makes one, and "approvals" in config.yaml holds others',
	whole: ['RULE', 'TOOL', 'ARGUMENTS', 'HOLDS'],
	optional: ['DEFINITION', 'PROFILE', 'LAST USED', 'USES', 'BY'],
});

/** How far a rule reaches. */
export const reachOf = ({scope, run, expiresAt, file}: ApprovalRule): string => {
	if (file) {
		return `while it stands in ${file.place}`;
	}

	switch (scope) {
		case 'run':
			return `until run ${run ?? '?'} ends`;

		case 'process':
			return 'until svc stops';

		case 'always':
			return expiresAt === undefined ? 'always' : `until ${printableTime(expiresAt)}`;
	}
};

const ruleArguments = ({args, when}: ApprovalRule): string => {
	if (when) {
		return keysText(when);
	}

	if (!args) {
		return 'any';
	}

	return args.keys ? `the same ${args.keys.map(quotedName).join(', ')}` : exactText(args.shown);
};

const exactText = (shown: NonNullable<ApprovalRule['args']>['shown']): string =>
	shown === undefined ? 'exactly the same' : `exactly ${JSON.stringify(shown)}`;
