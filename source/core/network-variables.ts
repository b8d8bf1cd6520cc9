const names =
	/^(?:SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy)$/;

/** Whether a variable says how a program gets out of this network: through which proxy, and whose certificates it takes. Programs that we start get these. */
export const isNetworkVariable = (name: string): boolean => names.test(name);

/** Those of an environment. */
export const networkVariables = (
	environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
	Object.fromEntries(Object.entries(environment).filter(([name]) => isNetworkVariable(name)));
