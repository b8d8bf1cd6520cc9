import type {
	ApprovalRule,
	FormApproval,
	FormField,
	ShownTool,
	ToolApproval,
} from '../../source/core/approval.ts';
import {type AskedTool, toolFrom} from '../../source/core/tool.ts';

const noon = new Date(2026, 10, 20, 12, 0, 0).getTime();

/** A tool of an untrusted server; `overrides` win. */
export const makeShownTool = (overrides: Partial<ShownTool> = {}): ShownTool => ({
	server: 'github-tools',
	profile: 'default',
	tool: 'create_issue',
	name: 'mcp__github-tools__create_issue',
	transport: 'http',
	host: 'api.example.com',
	trust: 'untrusted',
	claims: {readOnly: false, destructive: false},
	description: 'Creates an issue.',
	inputSchema: {type: 'object', properties: {title: {type: 'string'}}},
	endpoint: 'e0'.repeat(32),
	definition: '9c1f'.repeat(16),
	changed: false,
	...overrides,
});

/** A tool of svc itself; `why` its calls ask. */
export function makeBuiltInTool(name: string, why?: string): ShownTool {
	const {
		server: _,
		transport: __,
		host: ___,
		trust: ____,
		endpoint: _____,
		...shown
	} = makeShownTool({tool: name, name, claims: {}, description: 'A tool of svc itself.'});
	return {...shown, ...(why !== undefined && {why})};
}

/** The same as the program knows it. */
export function askedOf(shown: ShownTool): AskedTool {
	const {server: _, host: __, transport: ___, endpoint: ____, trust: _____, ...tool} = shown;
	return {...tool, from: toolFrom(shown)};
}

/** A call that waits until four and a half minutes past noon; `overrides` win. */
export const makeToolApproval = (overrides: Partial<ToolApproval> = {}): ToolApproval => ({
	kind: 'tool',
	id: 1,
	run: 184,
	route: 'gh-review',
	delivery: 'd7f2b0',
	profile: 'default',
	requestedAt: noon,
	deadline: noon + 271_000,
	latestDeadline: noon + 600_000,
	tool: makeShownTool(),
	args: {owner: 'acme', repo: 'api', title: 'Flaky test in api'},
	argsBytes: 60,
	scopes: ['once', 'run', 'process', 'always'],
	mustTypeName: false,
	...overrides,
});

/** A field of a form; `overrides` win. */
export const makeField = (overrides: Partial<FormField> = {}): FormField => ({
	key: 'name',
	title: 'Name',
	description: '',
	kind: 'text',
	required: false,
	masked: false,
	...overrides,
});

/** A form that waits as long; `overrides` win. */
export const makeFormApproval = (overrides: Partial<FormApproval> = {}): FormApproval => ({
	kind: 'form',
	id: 2,
	run: 184,
	profile: 'default',
	requestedAt: noon,
	deadline: noon + 271_000,
	latestDeadline: noon + 600_000,
	server: 'crm',
	host: 'crm.example.com',
	message: 'Which account?',
	fields: [makeField()],
	...overrides,
});

/** A rule that lasts for 30 days; `overrides` win. */
export const makeRule = (overrides: Partial<ApprovalRule> = {}): ApprovalRule => ({
	id: 4,
	profile: 'default',
	server: 'github-tools',
	tool: 'create_issue',
	endpoint: 'e0'.repeat(32),
	definition: '9c1f'.repeat(16),
	scope: 'always',
	createdAt: noon,
	createdBy: 'tui (alice, pts/3)',
	expiresAt: noon + 30 * 86_400_000,
	uses: 3,
	...overrides,
});
