//! Ports of protocols other than the web's. The list is Chromium's, so that Porthole and Chromium refuse the same
//! ports.

/// `kRestrictedPorts` of Chromium's `net/base/port_util.cc`, as compiled into version 156.
const RESTRICTED: [u16; 81] = [
    0,     // not in the Fetch standard
    1,     // tcpmux
    7,     // echo
    9,     // discard
    11,    // systat
    13,    // daytime
    15,    // netstat
    17,    // qotd
    19,    // chargen
    20,    // FTP data
    21,    // FTP
    22,    // SSH
    23,    // telnet
    25,    // SMTP
    37,    // time
    42,    // name
    43,    // nicname
    53,    // DNS
    69,    // TFTP
    77,    // rje
    79,    // finger
    87,    // ttylink
    95,    // supdup
    101,   // hostname
    102,   // iso-tsap
    103,   // gppitnp
    104,   // acr-nema
    109,   // POP2
    110,   // POP3
    111,   // sunrpc
    113,   // auth
    115,   // SFTP
    117,   // uucp-path
    119,   // NNTP
    123,   // NTP
    135,   // epmap
    137,   // NetBIOS names
    139,   // NetBIOS sessions
    143,   // IMAP
    161,   // SNMP
    179,   // BGP
    389,   // LDAP
    427,   // SLP
    465,   // SMTP over TLS
    512,   // exec
    513,   // login
    514,   // shell
    515,   // printer
    526,   // tempo
    530,   // courier
    531,   // chat
    532,   // netnews
    540,   // uucp
    548,   // AFP
    554,   // RTSP
    556,   // remotefs
    563,   // NNTP over TLS
    587,   // mail submission
    601,   // syslog
    636,   // LDAP over TLS
    989,   // FTP data over TLS
    990,   // FTP over TLS
    993,   // IMAP over TLS
    995,   // POP3 over TLS
    1719,  // H.323
    1720,  // H.323
    1723,  // PPTP
    2049,  // NFS
    3659,  // Apple's password server
    4045,  // lockd
    5060,  // SIP
    5061,  // SIP over TLS
    6000,  // X11
    6566,  // SANE
    6665,  // IRC
    6666,  // IRC
    6667,  // IRC
    6668,  // IRC
    6669,  // IRC
    6697,  // IRC over TLS
    10080, // Amanda
];

/// Returns whether Chromium refuses to connect to this port.
#[must_use]
pub fn is_restricted(port: u16) -> bool {
    RESTRICTED.binary_search(&port).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_the_binary_search() {
        assert!(RESTRICTED.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn web_ports_are_free_and_listed_ones_are_restricted() {
        for port in [80, 443, 3000, 8000, 8080, 8443, 9222, 65535] {
            assert!(!is_restricted(port), "{port}");
        }
        for port in RESTRICTED {
            assert!(is_restricted(port), "{port}");
        }
    }
}
