import {expect, test} from 'vitest';
import {serverLine} from '../../../../source/tui/panes/tools/tool-commands.ts';

const text = `model: {}
# crm:
mcp_servers:
  "a.b":
    url: x
  crm:
    env: {crm: 1}
platforms:
  crm: {}
`;

test.for([
	['crm', 6],
	['a.b', 4],
	['axb', 3],
	['none', 3],
] as const)('%s begins in line %i', ([name, line]) => {
	expect(serverLine(text, name)).toBe(line);
});

test('without mcp_servers there is no line', () => {
	expect(serverLine('model: {}\n', 'crm')).toBeUndefined();
});
