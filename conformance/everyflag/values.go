package main

import (
	"encoding/base64"
	"encoding/hex"
	"net"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// candidate is a text that may or may not be a value of a type.
type candidate struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// isRead says whether Go's own parser takes it.
func (c candidate) isRead() bool {
	var err error
	switch c.Kind {
	case "duration":
		_, err = time.ParseDuration(c.Text)
	case "ip":
		return net.ParseIP(c.Text) != nil
	case "ip_net":
		_, _, err = net.ParseCIDR(c.Text)
	case "ip_mask":
		return pflag.ParseIPv4Mask(c.Text) != nil
	case "hex":
		_, err = hex.DecodeString(c.Text)
	case "base64":
		_, err = base64.StdEncoding.DecodeString(c.Text)
	case "int8":
		_, err = strconv.ParseInt(c.Text, 10, 8)
	case "int":
		_, err = strconv.ParseInt(c.Text, 10, 64)
	case "uint16":
		_, err = strconv.ParseUint(c.Text, 10, 16)
	case "uint":
		_, err = strconv.ParseUint(c.Text, 10, 64)
	case "float":
		_, err = strconv.ParseFloat(c.Text, 64)
	default:
		panic("no kind " + c.Kind)
	}
	return err == nil
}
