import {expect, test} from 'vitest';
import {proxyOf} from '../../source/config/proxy-of.ts';

const both = {HTTP_PROXY: 'http://a:1', HTTPS_PROXY: 'http://b:2'};

test.for([
	['http://mcp.example/', both, 'http://a:1'],
	['https://mcp.example/', both, 'http://b:2'],
	['https://mcp.example/', {HTTP_PROXY: 'http://a:1'}, undefined],
	['https://mcp.example/', {...both, https_proxy: 'http://c:3'}, 'http://c:3'],
	['https://mcp.example/', {HTTPS_PROXY: 'b:2'}, 'http://b:2'],
	['https://mcp.example/', {HTTPS_PROXY: ''}, undefined],
	['https://mcp.example/', {HTTPS_PROXY: 'http://'}, undefined],
	['http://127.0.0.1:3000/', both, undefined],
	['http://localhost/', both, undefined],
	['http://[::1]/', both, undefined],
	['http://mcp.example/', {...both, NO_PROXY: '*'}, undefined],
	['http://mcp.example/', {...both, NO_PROXY: 'mcp.example'}, undefined],
	['http://mcp.example/', {...both, NO_PROXY: 'other, .example'}, undefined],
	['http://mcp.example/', {...both, NO_PROXY: '*.example'}, undefined],
	['http://mcp.example/', {...both, no_proxy: 'EXAMPLE'}, undefined],
	['http://mcp.example/', {...both, NO_PROXY: 'mcp.example:80'}, undefined],
	['http://mcp.example/', {...both, NO_PROXY: 'mcp.example:81'}, 'http://a:1'],
	['http://mcp.example/', {...both, NO_PROXY: 'cp.example'}, 'http://a:1'],
	['http://[2001:db8::1]/', {...both, NO_PROXY: '[2001:db8::1]'}, undefined],
] as const)('%s with %j: %s', ([url, environment, proxy]) => {
	expect(proxyOf(new URL(url), environment)).toBe(proxy);
});
